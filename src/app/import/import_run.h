// ImportRun copies an organisation from one server to another: event types, applications, endpoints
// with their secrets and headers.
//
//   source ──GET──▶ ImportPlan ──POST──▶ target
//                                    │
//                                ImportJournal
//
// Each record is made by one request, and noted when the target has it; what is noted is not made
// again. What the target refuses is reported, and the others go on. It ends early only if one of
// the servers stays away or lets nobody in, or if it is interrupted; then it goes on where it was
// when it is run again.
//
// It reads of the source and never writes there.
//
// Thread: confined.

#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/client/api_client.h"
#include "app/client/json_view.h"
#include "app/import/import_journal.h"
#include "app/import/import_plan.h"
#include "app/import/import_report.h"
#include "app/import/import_target.h"
#include "app/progress_bar.h"
#include "base/result.h"

namespace petrel::app {

class ImportRun {
 public:
  struct Parts {
    ApiClient& source;
    ApiClient& target;
    ImportJournal& journal;
    ProgressBar& bar;
    std::vector<std::string> only = {};  // Applications of the source. Empty: all.
    bool is_dry = false;
  };

  explicit ImportRun(Parts parts) : parts_(std::move(parts)) {}

  // An error if it ended early. report() says how far it came.
  Status run();

  const ImportReport& report() const { return report_; }

 private:
  using Fate = ImportReport::Fate;

  // Where a record's place is in the target.
  struct Landed {
    std::string id;
    bool existed = false;
  };

  Status read_applications();
  Status check_apart();
  Status read_target_types();
  Status import_event_types();
  Status import_event_type(const RawObject& record);
  Status archive_event_types();
  Status import_application(const RawObject& record);
  Result<std::optional<Landed>> land_application(const RawObject& record);
  Status import_endpoints(const RawObject& application, const Landed& landed);
  Status import_endpoint(const RawObject& record, const std::string& source_app,
                         const std::string& subject);
  Result<std::optional<EndpointParts>> read_endpoint(const RawObject& record,
                                                     const std::string& source_app);
  Result<bool> has_transformation(const std::string& path);
  Status make_endpoint(const EndpointParts& parts, const std::string& subject);
  Status finish_endpoint(const std::string& id, const ImportPlan& plan,
                         const std::string& target_id, const std::string& subject);

  // The answer if it is a 2xx; nothing if the record was refused, which is reported then.
  Result<std::optional<ApiAnswer>> post(const ApiClient::Question& question,
                                        const std::string& kind, const std::string& subject);
  Status refuse(const std::string& kind, const std::string& subject, const ApiAnswer& answer);
  Status settle(const std::string& kind, const std::string& id, ImportEntry entry,
                const std::string& subject, Fate fate);
  void repeat(const std::string& kind, const ImportEntry& entry, const std::string& subject);

  Parts parts_;
  ImportReport report_;
  std::vector<RawObject> applications_;
  std::set<std::string> target_types_;
  std::vector<std::string> archived_;  // Event types to archive at the end.
  bool may_transform_ = true;          // The source may have transformations.
  std::string target_app_;             // Of the application that is being imported: its id there.
  std::unique_ptr<ImportTarget> present_;  // What it has there. Null: nothing that is not ours.
};

}  // namespace petrel::app
