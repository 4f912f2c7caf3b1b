# The Debian package: `make deb`. Needs the targets `petrel` and `petrel_papers` built.
#
# Built with the libraries of the system that it is built on, it belongs on the same release of
# Debian; what it depends on is found in the binary by dpkg-shlibdeps.

set(papers ${CMAKE_BINARY_DIR}/papers)

# Man pages, the sample configuration and the shells' completion, out of the binary's own words.
# As Debian has them: compressed, and without a time in them.
add_custom_command(
  OUTPUT ${papers}/petrel.toml
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${papers}
  COMMAND python3 -B ${PROJECT_SOURCE_DIR}/scripts/package/papers.py $<TARGET_FILE:petrel> ${papers}
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${papers}/CHANGELOG.md
  COMMAND ${CMAKE_COMMAND} -E chdir ${papers}
          find man1 man5 CHANGELOG.md -type f -exec gzip --best --no-name {} +
  DEPENDS petrel ${PROJECT_SOURCE_DIR}/scripts/package/papers.py ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  COMMENT "Making man pages, completion and the sample configuration"
  VERBATIM)
add_custom_target(petrel_papers ALL DEPENDS ${papers}/petrel.toml)

# `cpack` is to install these files, not to build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# With their places in a system, as a package has them: CPack puts them below its scratch folder.
install(TARGETS petrel RUNTIME DESTINATION usr/bin)
install(FILES packaging/petrel.service DESTINATION lib/systemd/system)
install(FILES ${papers}/petrel.toml DESTINATION etc/petrel)
install(DIRECTORY ${papers}/man1 ${papers}/man5 DESTINATION usr/share/man)
install(FILES ${papers}/completion/petrel DESTINATION usr/share/bash-completion/completions)
install(FILES ${papers}/completion/_petrel DESTINATION usr/share/zsh/vendor-completions)
install(FILES ${papers}/completion/petrel.fish DESTINATION usr/share/fish/vendor_completions.d)
install(FILES ${papers}/CHANGELOG.md.gz packaging/debian/copyright DESTINATION usr/share/doc/petrel)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /)
# Asks git for the version when the package is made, not when CMake is run.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageVersion.cmake)
set(CPACK_PETREL_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_PETREL_RELEASE ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the authors of Petrel")
set(CPACK_PACKAGE_CONTACT "the authors of Petrel <petrel@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "durable webhook delivery server")
set(CPACK_PACKAGE_DESCRIPTION
  "Petrel takes messages from producers by HTTP, keeps them safe in a store of
its own, and delivers them, signed, to every endpoint that wants them. It
retries by policies that neither give up early nor trample a receiver that is
recovering, replays dead letters at the pace of the responses, and carries a
dashboard.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, ca-certificates, init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
file(WRITE ${CMAKE_BINARY_DIR}/conffiles "/etc/petrel/petrel.toml\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/debian/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/prerm
  ${PROJECT_SOURCE_DIR}/packaging/debian/postrm ${CMAKE_BINARY_DIR}/conffiles)
include(CPack)
