// A client of `imoca serve`: ask for designs and tell what they give. C++17 and POSIX sockets, nothing else.
// What is not answered is sent again for some minutes, to wherever the server is by then, which counts it once. What it
// refuses is a runtime_error.
#pragma once
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "json.hpp"

namespace imoca {

inline std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const unsigned char c : text) {
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", c);
    json += c < 0x20 || c == '"' || c == '\\' ? std::string(escape) : std::string(1, static_cast<char>(c));
  }
  return json + "\"";
}

inline std::string exact(double number) {  // all its digits
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

class Client {
 public:
  explicit Client(std::string address_file) : address_file_(std::move(address_file)) {}  // that imoca serve writes

  Json get(const std::string& route) const { return request("GET", route, ""); }
  Json post(const std::string& route, const std::string& json) const { return request("POST", route, json); }

 private:
  Json request(const std::string& method, const std::string& route, const std::string& body) const {
    const std::string head = method + " /" + route + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                             "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\nAuthorization: Bearer ";
    for (int attempt = 0; attempt < 120; ++attempt) {
      const Json address = read_address();
      const std::string reply = exchange(address["url"].text, head + address["token"].text + "\r\n\r\n" + body);
      const auto end = reply.find("\r\n\r\n"), length = reply.find("content-length: ");
      const bool is_whole = end != std::string::npos && length < end &&
                            reply.size() == end + 4 + std::stoul(reply.substr(length + 16));
      const std::string status = is_whole ? reply.substr(9, 3) : "503";  // killed in the middle of its answer
      if (status != "503") {
        const Json json = Reader::read(reply.substr(end + 4));
        if (status == "200") return json;
        throw std::runtime_error(status + ": " + json["error"].text + " " + json["hint"].text);
      }
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
    throw std::runtime_error("no answer from the server in " + address_file_);
  }

  Json read_address() const {
    std::ifstream file(address_file_);
    std::stringstream content;
    content << file.rdbuf();
    if (!file) throw std::runtime_error(address_file_ + " cannot be read");
    return Reader::read(content.str());
  }

  static std::string exchange(const std::string& url, const std::string& text) {  // empty if there is no server
    const std::string place = url.substr(7);                                        // after http://
    const auto colon = place.rfind(':');
    const std::string host = place[0] == '[' ? place.substr(1, colon - 2) : place.substr(0, colon);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host.c_str(), place.substr(colon + 1).c_str(), &hints, &found) != 0) return "";
    const int connection = socket(found->ai_family, found->ai_socktype, 0);
    std::string reply;
    if (connect(connection, found->ai_addr, found->ai_addrlen) == 0) {
      std::size_t sent = 0;
      for (ssize_t n = 1; sent < text.size() && n > 0; sent += static_cast<std::size_t>(n > 0 ? n : 0))
        n = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      char part[4096];
      for (ssize_t n = 0; (n = recv(connection, part, sizeof part, 0)) > 0;) reply.append(part, static_cast<std::size_t>(n));
    }
    close(connection);
    freeaddrinfo(found);
    return reply;
  }

  std::string address_file_;
};

}  // namespace imoca
