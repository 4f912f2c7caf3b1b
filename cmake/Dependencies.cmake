# Libraries from the distribution; scripts/bootstrap installs their packages.

find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(rocksdb REQUIRED IMPORTED_TARGET rocksdb)
pkg_check_modules(cares REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(curl REQUIRED IMPORTED_TARGET libcurl)

# By version: the distribution's plain `boost` is older and lacks what the net room needs.
find_package(Boost 1.81 REQUIRED)

if(PETREL_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
