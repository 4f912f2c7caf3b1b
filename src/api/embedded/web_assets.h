// The files of the dashboard that the server carries in itself, as web/ builds them.
//
// Thread: any. Does not change.

#pragma once

#include <string_view>
#include <vector>

namespace petrel::api {

struct WebFile {
  std::string_view name;  // "main-3F2A….js": it carries a hash of the contents.
  std::string_view type;
  std::string_view plain;
  std::string_view gzip;
  std::string_view brotli;
};

struct WebAssets {
  std::string_view shell;  // The page that loads the others. Empty: built without the dashboard.
  std::vector<WebFile> files;
};

const WebAssets& web_assets();

}  // namespace petrel::api
