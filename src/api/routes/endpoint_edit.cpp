#include "api/routes/endpoint_edit.h"

#include <utility>

#include "base/try.h"

namespace petrel::api {

Plan endpoint_edit(Call& call, EndpointId id, std::function<Status(model::Endpoint&)> edit,
                   std::function<net::HttpResponse(const model::Endpoint&)> answer) {
  return {
      node::Changes::turn_of(id),
      [&catalogue = call.services().catalogue, now = call.services().clock.wall(), id,
       edit = std::move(edit), answer = std::move(answer)]() -> Result<ChangeDecision> {
        const store::EndpointPtr before = catalogue.endpoint(id);
        if (before == nullptr || before->deleted_at) return no_such_endpoint();
        model::Endpoint endpoint = *before;
        TRY(edit(endpoint));
        endpoint.updated_at = now;
        net::HttpResponse response = answer(endpoint);
        return ChangeDecision{{store::UpdateEndpoint{std::move(endpoint)}}, std::move(response)};
      }};
}

}  // namespace petrel::api
