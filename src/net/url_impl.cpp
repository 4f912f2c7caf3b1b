// Boost.URL is compiled here once; the distribution has it as headers only.

#include <boost/url/src.hpp>
