// Addresses of lobbies, and who is believed there.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace bot {

// Where a bot dials in: HOST:PORT without TLS, HOST:PORT/sha256:HEX with the one certificate that
// has this SHA-256, HOST:PORT/tls with one of an authority that the system trusts.
class Lobby {
 public:
  // Reads an address; nothing where it is none.
  static std::optional<Lobby> at(const std::string& text);

  // HOST:PORT.
  const std::string& address() const { return address_; }

  // What a channel there needs.
  const std::shared_ptr<grpc::ChannelCredentials>& credentials() const { return credentials_; }

  // What is wrong with who answered, after a call that ended with this status; empty where it may
  // be well the next time.
  std::string distrust(const grpc::Status& status) const;

  // What the check of a certificate has found to be wrong, in one of gRPC's threads.
  class Finding {
   public:
    void set(std::string sentence);
    std::string get() const;

   private:
    mutable std::mutex mutex_;
    std::string sentence_;
  };

 private:
  Lobby() = default;

  std::string address_;
  bool secret_ = false;
  std::shared_ptr<grpc::ChannelCredentials> credentials_;
  std::shared_ptr<Finding> finding_;
};

}  // namespace bot
