package duke.runtime;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;

/** Believes the one certificate that has a fingerprint, whoever signed it and whatever its name. */
final class Pin extends X509ExtendedTrustManager {
  static final String SCHEME = "sha256:";

  private final byte[] fingerprint;

  /** The pin of a fingerprint as addresses have it, {@code sha256:HEX}. */
  Pin(String fingerprint) {
    this.fingerprint = HexFormat.of().parseHex(fingerprint.substring(SCHEME.length()));
  }

  /** What a channel needs that believes it. */
  SslContext context() {
    try {
      return GrpcSslContexts.forClient().trustManager(this).build();
    } catch (SSLException problem) {
      throw new IllegalStateException(problem);
    }
  }

  /** What a channel needs that believes the authorities in the file SSL_CERT_FILE, or whom Java does. */
  static SslContext authorities() {
    String file = System.getenv("SSL_CERT_FILE");
    SslContextBuilder builder = GrpcSslContexts.forClient();
    try {
      return (file == null ? builder : builder.trustManager(new File(file))).build();
    } catch (SSLException problem) {
      throw new IllegalStateException(problem);
    }
  }

  /** Who was not believed, with the end of a sentence about why. */
  private static final class Distrust extends CertificateException {
    Distrust(String why) {
      super(why);
    }
  }

  /** What is wrong with who answers, to be told to a person; null where it may be well the next time. */
  static String problem(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof NotSslRecordException) {
        return "does not speak TLS: ask the host for the present address";
      } else if (each instanceof CertificateExpiredException) {
        return "shows a certificate that has expired: ask the host for a new address";
      } else if (each instanceof Distrust) {
        return each.getMessage();
      } else if (each instanceof CertificateException) {
        return "shows a certificate that cannot be trusted ("
            + each.getMessage()
            + "): dial it by the address that ends in its fingerprint";
      }
    }
    return null;
  }

  private void check(X509Certificate[] chain) throws CertificateException {
    byte[] found;
    try {
      found = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
    } catch (GeneralSecurityException problem) {
      throw new Distrust("shows no certificate that can be read");
    }
    if (!MessageDigest.isEqual(found, fingerprint)) {
      String told = SCHEME + HexFormat.of().formatHex(found);
      throw new Distrust("shows another certificate (" + told + ") than the address says: ask the host");
    }
    chain[0].checkValidity();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    check(chain);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("nobody dials here");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
