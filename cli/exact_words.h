#pragma once

// The parser's library takes a word of the form [a,b] apart where several words may stand, as it does with lists in its
// configuration files. What is typed behind a command belongs to the command, letter for letter: such words are marked
// before they are parsed, and the mark is taken off before their option sees them. Pure.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace det::cli {

// Marks those of `arguments` that need it.
void mark_words(std::vector<std::string>& arguments);
// A text of the library's that names such words, without their marks.
[[nodiscard]] std::string without_marks(std::string text);
// Has all options of `app` and of its commands take marks off. To be called when all options are there.
void unmark_options(CLI::App& app);

}  // namespace det::cli
