// In the place of what web/build.mjs makes, where the dashboard could not be built.

#include "api/embedded/web_assets.h"

namespace petrel::api {

const WebAssets& web_assets() {
  static const WebAssets none;
  return none;
}

}  // namespace petrel::api
