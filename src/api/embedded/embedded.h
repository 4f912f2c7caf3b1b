// Files that the server carries in itself. Made into strings by CMake.
//
// Thread: any.

#pragma once

#include <string_view>

namespace petrel::api {

extern const std::string_view kServerVersion;

// openapi_components.json
extern const std::string_view kOpenApiComponents;

// docs_page.html
extern const std::string_view kDocsPage;

}  // namespace petrel::api
