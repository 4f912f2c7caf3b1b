#include "app/completion.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace petrel::app {
namespace {

// All scripts do the same: they walk the words before the cursor down the tree as far as they are
// commands, and offer what there is at that place. A word that follows an option with a value is
// left to the shell, which offers files.

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// As one word for a POSIX shell and zsh.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// "'petrel serve'|'petrel token'|…", each command but the root.
std::string all_paths(const CommandTree& tree, std::string_view separator) {
  std::vector<std::string> paths;
  for (const CommandTree* command : all_commands(tree)) {
    if (command != &tree) paths.push_back(quoted(command->path));
  }
  return fmt::format("{}", fmt::join(paths, separator));
}

std::vector<std::string> option_names(const CommandTree& command, bool with_value_only) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options) {
    if (option.is_argument || (with_value_only && !option.takes_value)) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::string bash_script(const CommandTree& tree) {
  std::string places;
  for (const CommandTree* command : all_commands(tree)) {
    std::vector<std::string> words;
    for (const CommandTree& below : command->commands) words.push_back(below.name);
    const auto options = option_names(*command, false);
    words.insert(words.end(), options.begin(), options.end());
    places += fmt::format("    {}) words='{}' values=' {} ' ;;\n", quoted(command->path),
                          fmt::join(words, " "), fmt::join(option_names(*command, true), " "));
  }
  return fmt::format(R"(# bash completion for petrel; made by `petrel completion bash`
_petrel() {{
  local at=petrel word words= values=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$at $word" in
      {}) at="$at $word" ;;
    esac
  done
  case "$at" in
{}  esac
  COMPREPLY=()
  [[ $values == *" ${{COMP_WORDS[COMP_CWORD-1]}} "* ]] && return
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _petrel petrel
)",
                     all_paths(tree, "|"), places);
}

std::string zsh_script(const CommandTree& tree) {
  std::string places;
  for (const CommandTree* command : all_commands(tree)) {
    std::string commands;
    std::string options;
    for (const CommandTree& below : command->commands) {
      commands += " " + quoted(below.name + ":" + below.about);
    }
    for (const CommandOption& option : command->options) {
      if (option.is_argument) continue;
      for (const std::string& name : option.names)
        options += " " + quoted(name + ":" + option.help);
    }
    places += fmt::format(
        "    {})\n      commands=({})\n      options=({})\n      values=' {} ' ;;\n",
        quoted(command->path), commands, options, fmt::join(option_names(*command, true), " "));
  }
  return fmt::format(R"(#compdef petrel
# zsh completion for petrel; made by `petrel completion zsh`
_petrel() {{
  local at=petrel word values=
  local -a commands options
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$at $word" in
      {}) at="$at $word" ;;
    esac
  done
  case "$at" in
{}  esac
  if [[ $values == *" ${{words[CURRENT-1]}} "* ]]; then
    _files
    return
  fi
  (( $#commands )) && _describe -t commands command commands
  if [[ ${{words[CURRENT]}} == -* ]]; then
    _describe -o -t options option options
  elif (( ! $#commands )); then
    _files
  fi
}}
if [[ ${{funcstack[1]}} == _petrel ]]; then _petrel "$@"; else compdef _petrel petrel; fi
)",
                     all_paths(tree, "|"), places);
}

std::string fish_option(const CommandTree& command, const CommandOption& option) {
  std::string line = fmt::format("complete -c petrel -n '__petrel_at \"{}\"'", command.path);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.takes_value) line += " -r -F";
  return line + " -d " + fish_quoted(option.help) + "\n";
}

std::string fish_script(const CommandTree& tree) {
  std::string places;
  for (const CommandTree* command : all_commands(tree)) {
    for (const CommandTree& below : command->commands) {
      places += fmt::format("complete -c petrel -f -n '__petrel_at \"{}\"' -a {} -d {}\n",
                            command->path, below.name, fish_quoted(below.about));
    }
    for (const CommandOption& option : command->options) {
      if (!option.is_argument) places += fish_option(*command, option);
    }
  }
  return fmt::format(R"(# fish completion for petrel; made by `petrel completion fish`
function __petrel_at
    set -l at petrel
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case {}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
{})",
                     all_paths(tree, " "), places);
}

}  // namespace

Result<std::string> completion_script(std::string_view shell, const CommandTree& tree) {
  if (shell == "bash") return bash_script(tree);
  if (shell == "zsh") return zsh_script(tree);
  if (shell == "fish") return fish_script(tree);
  return invalid("shell", "must be bash, zsh or fish");
}

}  // namespace petrel::app
