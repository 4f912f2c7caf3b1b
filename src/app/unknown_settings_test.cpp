#include "app/unknown_settings.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

TEST(UnknownSettings, AMistypedVariableIsNamedWithWhatWasMeant) {
  const std::vector<std::string> names = {"PETREL_LISTN", "HOME", "PETREL_LISTEN", "PETREL_CONFIG",
                                          "PETREL_WINGS"};
  EXPECT_EQ(unknown_variables(names),
            (std::vector<std::string>{
                "the variable \"PETREL_LISTN\" has no effect, as there is no such setting: did you "
                "mean PETREL_LISTEN?",
                "the variable \"PETREL_WINGS\" has no effect, as there is no such setting"}));
}

TEST(UnknownSettings, WhatKubernetesSetsForAServiceIsNotAMistake) {
  const std::vector<std::string> names = {"PETREL_PORT", "PETREL_PORT_8071_TCP_ADDR",
                                          "PETREL_SERVICE_HOST", "PETREL_SERVICE_PORT_HTTP"};
  EXPECT_EQ(unknown_variables(names), std::vector<std::string>());
}

TEST(UnknownSettings, AMistypedKeyIsNamedWithWhatWasMeant) {
  EXPECT_EQ(unknown_key("allow-subnet"),
            "\"allow-subnet\" is not a setting: did you mean allow-subnets?");
  EXPECT_EQ(unknown_key("wings"), "\"wings\" is not a setting");
}

}  // namespace
}  // namespace petrel::app
