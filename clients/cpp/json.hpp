#pragma once  // reads JSON
#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace imoca {

struct Json {           // whichever of these a value is; of null none
  double number = 0.0;  // also of true, 1, and false, 0
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> entries;
  const Json& operator[](const std::string& name) const { return entries.at(name); }
};

class Reader {
 public:
  static Json read(const std::string& text) { return Reader(text).value(); }

 private:
  explicit Reader(const std::string& text) : text_(text) {}

  char peek() {
    while (std::isspace(static_cast<unsigned char>(text_.at(i_)))) ++i_;
    return text_.at(i_);
  }
  bool take(char wanted) { return peek() == wanted && ++i_; }
  void need(char wanted) {
    if (!take(wanted)) throw std::runtime_error("no JSON at character " + std::to_string(i_));
  }

  Json value() {
    Json json;
    if (take('{')) {
      if (take('}')) return json;
      do {
        const std::string name = string();
        need(':');
        json.entries[name] = value();
      } while (take(','));
      need('}');
    } else if (take('[')) {
      if (take(']')) return json;
      do json.items.push_back(value());
      while (take(','));
      need(']');
    } else if (peek() == '"') {
      json.text = string();
    } else if (std::isalpha(static_cast<unsigned char>(peek()))) {  // true, false, null
      json.number = peek() == 't';
      while (i_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[i_]))) ++i_;
    } else {
      char* end = nullptr;
      json.number = std::strtod(text_.c_str() + i_, &end);
      if (end == text_.c_str() + i_) need('0');
      i_ = static_cast<std::size_t>(end - text_.c_str());
    }
    return json;
  }

  std::string string() {
    std::string found;
    for (need('"'); text_.at(i_) != '"';) {
      if (text_[i_] != '\\') {
        found += text_[i_++];
      } else if (const char escaped = text_.at(i_ + 1); escaped == 'u') {
        found += character();
      } else {
        static const std::string names = "nrtbf", meant = "\n\r\t\b\f";
        const auto k = names.find(escaped);
        found += k < names.size() ? meant[k] : escaped;
        i_ += 2;
      }
    }
    ++i_;
    return found;
  }
  std::string character() {  // \u00e9, or \ud834\udd1e, as UTF-8
    unsigned c = hex();
    if (c >= 0xD800 && c < 0xDC00 && text_.compare(i_, 2, "\\u") == 0) c = 0x10000 + ((c - 0xD800) << 10) + (hex() - 0xDC00);
    if (c < 0x80) return std::string(1, static_cast<char>(c));
    const int n = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;  // bytes after the first
    std::string bytes(1, static_cast<char>(((0xFF00 >> (n + 1)) & 0xFF) | (c >> 6 * n)));
    for (int k = n - 1; k >= 0; --k) bytes += static_cast<char>(0x80 | ((c >> 6 * k) & 0x3F));
    return bytes;
  }
  unsigned hex() {
    i_ += 6;
    return static_cast<unsigned>(std::stoul(text_.substr(i_ - 4, 4), nullptr, 16));
  }

  const std::string& text_;
  std::size_t i_ = 0;
};

}  // namespace imoca
