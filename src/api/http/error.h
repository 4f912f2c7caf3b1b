// How errors look on the wire: one table from kinds to statuses, and one from statuses to codes.
//
//   404  {"code":"not_found","detail":"there is no such endpoint"}
//   422
//   {"detail":[{"loc":["body","retryPolicy","rules","[2]","on"],"msg":"…","type":"value_error"}]}
//
// The 422 has its own shape because the client libraries know it; it says where in the request the
// mistake is. The path begins with "body", "query" or "path".
//
// Thread: any.

#pragma once

#include <string_view>

#include "base/result.h"
#include "net/http_message.h"

namespace petrel::api {

// A {code, detail} body for a status that is no 422. A 503 says when to come back.
net::HttpResponse error_page(int status, std::string_view detail);

// The same with a code of its own, for what client libraries tell apart.
net::HttpResponse coded_page(int status, std::string_view code, std::string_view detail);

// A 422 whose `type` client libraries tell apart. REQUIRES: `error` as error_response() wants it.
net::HttpResponse typed_page(const Error& error, std::string_view type);

// REQUIRES: an Invalid error names its field from the root: "body.url".
// Whether its detail may be shown to a caller. What a store or a disk says is for the operator: it
// names files, and callers can do nothing about it.
bool is_for_callers(const Error& error);

net::HttpResponse error_response(const Error& error);

}  // namespace petrel::api
