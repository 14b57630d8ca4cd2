//! Addresses, and who is believed there: whoever answers, without TLS; one certificate; or whom the system trusts.

use std::error::Error;
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use hyper_util::rt::TokioIo;
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, version::TLS12, version::TLS13,
};
use tonic::transport::{Channel, Endpoint, Uri};
use tower::service_fn;
use x509_cert::der::Decode;

use crate::client::hex;

const WRONG: &str = "is no address: write --join HOST:PORT, HOST:PORT/sha256:FINGERPRINT or HOST:PORT/tls";

/// Where to dial, and whom to believe there.
#[derive(Clone)]
pub struct Lobby {
    /// `HOST:PORT`.
    pub address: String,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    distrust: Arc<OnceLock<String>>,
}

impl Lobby {
    /// Reads an address; where it is none, the error says so.
    pub fn new(text: &str) -> Result<Self, String> {
        let (address, trust) = text.split_once('/').map_or((text, None), |(address, trust)| (address, Some(trust)));
        let wrong = || format!("{text} {WRONG}");
        let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
        port.parse::<u16>().map_err(|_| wrong())?;
        let tls = match trust.map(|trust| trust.split_once(':').unwrap_or((trust, ""))) {
            None => None,
            Some(("tls", "")) => Some(of_system()?),
            Some(("sha256", fingerprint)) if fingerprint.len() == 64 => Some(pinned(fingerprint)),
            Some(_) => return Err(wrong()),
        };
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).map_err(|_| wrong())?;
        let tls = tls.map(|config| (TlsConnector::from(Arc::new(config)), name));
        Ok(Self { address: address.to_owned(), tls, distrust: Arc::default() })
    }

    /// A channel to it, with the endpoint's settings; dialled when something is to be said.
    pub fn channel(&self, endpoint: &Endpoint) -> Channel {
        let Some((connector, name)) = self.tls.clone() else {
            return endpoint.connect_lazy();
        };
        let (address, distrust) = (self.address.clone(), self.distrust.clone());
        endpoint.connect_with_connector_lazy(service_fn(move |_: Uri| {
            let (address, distrust) = (address.clone(), distrust.clone());
            let (connector, name) = (connector.clone(), name.clone());
            async move { dial(&address, &connector, name, &distrust).await.map(TokioIo::new) }
        }))
    }

    /// What is wrong with who answers, so that trying again does not help.
    pub fn distrust(&self) -> Option<&String> {
        self.distrust.get()
    }
}

async fn dial(
    address: &str,
    connector: &TlsConnector,
    name: ServerName<'static>,
    distrust: &OnceLock<String>,
) -> io::Result<TlsStream<TcpStream>> {
    let line = TcpStream::connect(address).await?;
    line.set_nodelay(true)?;
    let agreed = connector.connect(name, line).await;
    if let Err(error) = &agreed
        && let Some(problem) = error.get_ref().and_then(|error| error.downcast_ref()).and_then(told)
    {
        let _ = distrust.set(problem); // the first is as good as any
    }
    agreed
}

/// What TLS found wrong with who answers, as people are told; none where it may be well the next time.
fn told(error: &rustls::Error) -> Option<String> {
    match error {
        rustls::Error::General(sentence) => Some(sentence.clone()),
        rustls::Error::InvalidMessage(_) => Some("does not speak TLS: ask the host for the present address".to_owned()),
        rustls::Error::InvalidCertificate(why) => Some(format!(
            "shows a certificate that cannot be trusted ({why}): dial it by the address that ends in its fingerprint"
        )),
        _ => None,
    }
}

fn builder() -> rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier> {
    let provider = Arc::new(ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13, &TLS12])
        .expect("the provider has both versions")
}

fn speaking_http2(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec()];
    config
}

/// Believes authorities that the system trusts, or those in the file that `SSL_CERT_FILE` names.
fn of_system() -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err("this system has no list of authorities: name a file that has one in SSL_CERT_FILE".to_owned());
    }
    Ok(speaking_http2(builder().with_root_certificates(roots).with_no_client_auth()))
}

/// Believes the one certificate with this fingerprint.
fn pinned(fingerprint: &str) -> ClientConfig {
    let provider = ring::default_provider();
    let pin = Arc::new(Fingerprint { hex: fingerprint.to_ascii_lowercase(), provider });
    speaking_http2(builder().dangerous().with_custom_certificate_verifier(pin).with_no_client_auth())
}

/// Believes the certificate whose SHA-256 it is, whoever signed it and whatever its name.
#[derive(Debug)]
struct Fingerprint {
    hex: String,
    provider: CryptoProvider,
}

impl ServerCertVerifier for Fingerprint {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let found = hex(&Sha256::digest(shown));
        if found != self.hex {
            return Err(rustls::Error::General(format!(
                "shows another certificate (sha256:{found}) than the address says: ask the host"
            )));
        }
        if ends(shown).is_ok_and(|end| end < SystemTime::now()) {
            let sentence = "shows a certificate that has expired: ask the host for a new address";
            return Err(rustls::Error::General(sentence.to_owned()));
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, shown, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, shown, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// When a certificate ends to be valid.
fn ends(certificate: &[u8]) -> Result<SystemTime, Box<dyn Error>> {
    Ok(x509_cert::Certificate::from_der(certificate)?.tbs_certificate.validity.not_after.to_system_time())
}
