#include "lobby.h"

#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace bot {

namespace {

namespace tls = grpc::experimental;

constexpr std::string_view kScheme = "sha256:";
constexpr std::size_t kHexDigits = 64;

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate read_certificate(grpc::string_ref pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return {PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free};
}

std::string fingerprint_of(const X509* certificate) {
  constexpr char digits[] = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  X509_digest(certificate, EVP_sha256(), digest.data(), &size);
  std::string text(kScheme);
  for (unsigned int index = 0; index < size; ++index) {
    text += {digits[digest[index] >> 4], digits[digest[index] & 0xf]};
  }
  return text;
}

// Believes the one certificate that has a fingerprint, whoever signed it and whatever its name.
class Pin final : public tls::ExternalCertificateVerifier {
 public:
  Pin(std::string fingerprint, std::shared_ptr<Lobby::Finding> finding)
      : fingerprint_(std::move(fingerprint)), finding_(std::move(finding)) {}

  bool Verify(tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* status) override {
    const std::string problem = problem_of(request->peer_cert());
    if (!problem.empty()) {
      finding_->set(problem);
      *status = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, problem);
    }
    return true;  // it is done
  }

  void Cancel(tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  std::string problem_of(grpc::string_ref pem) const {
    const Certificate shown = read_certificate(pem);
    if (!shown) return "shows no certificate that can be read";
    if (const std::string found = fingerprint_of(shown.get()); found != fingerprint_) {
      return "shows another certificate (" + found + ") than the address says: ask the host";
    }
    if (X509_cmp_current_time(X509_get0_notAfter(shown.get())) < 0) {
      return "shows a certificate that has expired: ask the host for a new address";
    }
    return "";
  }

  std::string fingerprint_;
  std::shared_ptr<Lobby::Finding> finding_;
};

std::shared_ptr<grpc::ChannelCredentials> pinned(const std::string& fingerprint,
                                                 const std::shared_ptr<Lobby::Finding>& finding) {
  tls::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);  // it is compared instead
  options.set_check_call_host(false);
  options.set_certificate_verifier(
      tls::ExternalCertificateVerifier::Create<Pin>(fingerprint, finding));
  return tls::TlsCredentials(options);
}

// Believes the authorities in the file that SSL_CERT_FILE names, or else those of the system.
std::shared_ptr<grpc::ChannelCredentials> of_system() {
  grpc::SslCredentialsOptions options;
  if (const char* path = std::getenv("SSL_CERT_FILE")) {
    std::ifstream file(path);
    options.pem_root_certs.assign(std::istreambuf_iterator<char>(file), {});
  }
  return grpc::SslCredentials(options);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool is_fingerprint(const std::string& text) {
  return text.rfind(kScheme, 0) == 0 && text.size() == kScheme.size() + kHexDigits &&
         text.find_first_not_of("0123456789abcdef", kScheme.size()) == std::string::npos;
}

bool has_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < address.size() &&
         address.find_first_not_of("0123456789", colon + 1) == std::string::npos;
}

}  // namespace

void Lobby::Finding::set(std::string sentence) {
  const std::lock_guard lock(mutex_);
  sentence_ = std::move(sentence);
}

std::string Lobby::Finding::get() const {
  const std::lock_guard lock(mutex_);
  return sentence_;
}

std::optional<Lobby> Lobby::at(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string trust = slash == std::string::npos ? "" : lower(text.substr(slash + 1));
  Lobby lobby;
  lobby.address_ = text.substr(0, slash);
  lobby.secret_ = slash != std::string::npos;
  lobby.finding_ = std::make_shared<Finding>();
  if (!has_port(lobby.address_)) return std::nullopt;
  if (!lobby.secret_) {
    lobby.credentials_ = grpc::InsecureChannelCredentials();
  } else if (trust == "tls") {
    lobby.credentials_ = of_system();
  } else if (is_fingerprint(trust)) {
    lobby.credentials_ = pinned(trust, lobby.finding_);
  } else {
    return std::nullopt;
  }
  return lobby;
}

std::string Lobby::distrust(const grpc::Status& status) const {
  if (!secret_) return "";
  if (std::string found = finding_->get(); !found.empty()) return found;
  const std::string text = lower(status.error_message());  // which is all that gRPC tells
  for (const char* sign : {"wrong version number", "wrong_version_number"}) {
    if (text.find(sign) != std::string::npos) {
      return "does not speak TLS: ask the host for the present address";
    }
  }
  for (const char* sign : {"certificate verify failed", "certificate_verify_failed", "peer name"}) {
    if (text.find(sign) != std::string::npos) {
      return "shows a certificate that cannot be trusted: dial it by the address that ends in its "
             "fingerprint";
    }
  }
  return "";
}

}  // namespace bot
