// Crypto++ on the other end of a pipe: one request a line, words in between blanks, octets in hexadecimal ("-" for none).
// The answer is a line of words, or "refused".

#include <cryptopp/cryptlib.h>
#include <cryptopp/eccrypto.h>
#include <cryptopp/emsa2.h>
#include <cryptopp/esign.h>
#include <cryptopp/fhmqv.h>
#include <cryptopp/filters.h>
#include <cryptopp/gfpcrypt.h>
#include <cryptopp/hex.h>
#include <cryptopp/hmqv.h>
#include <cryptopp/mqv.h>
#include <cryptopp/oids.h>
#include <cryptopp/oaep.h>
#include <cryptopp/osrng.h>
#include <cryptopp/pssr.h>
#include <cryptopp/rabin.h>
#include <cryptopp/rw.h>
#include <cryptopp/sha.h>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

using namespace CryptoPP;
using std::string;
using Words = std::vector<string>;

static AutoSeededRandomPool rng;

static string octets(const string &word) {
    string out;
    if (word != "-") StringSource(word, true, new HexDecoder(new StringSink(out)));
    return out;
}

static string text(const string &octets) {
    string out;
    StringSource(octets, true, new HexEncoder(new StringSink(out), false));
    return out.empty() ? "-" : out;
}

static const byte *raw(const string &s) { return reinterpret_cast<const byte *>(s.data()); }

template <class Key> static void read(Key &key, const string &der) {
    StringSource source(octets(der), true);
    key.BERDecode(source);
    if (!key.Validate(rng, 3)) throw Exception(Exception::OTHER_ERROR, "the key is not valid");
}

template <class Key> static string written(const Key &key) {
    string der;
    StringSink sink(der);
    key.DEREncode(sink);
    return text(der);
}

// generate BITS: a private key and its public key
template <class Scheme> static string generate(const Words &w) {
    typename Scheme::Signer signer;
    signer.AccessKey().GenerateRandomWithKeySize(rng, std::stoi(w[1]));
    typename Scheme::Verifier verifier(signer);
    return written(signer.GetKey()) + " " + written(verifier.GetKey());
}

// encrypt PUBLIC LABEL MESSAGE: a ciphertext
template <class Scheme> static string encrypt(const Words &w) {
    typename Scheme::Encryptor encryptor;
    read(encryptor.AccessKey(), w[1]);
    string label = octets(w[2]), m = octets(w[3]), c(encryptor.CiphertextLength(m.size()), 0);
    encryptor.Encrypt(rng, raw(m), m.size(), (byte *)&c[0],
        MakeParameters(Name::EncodingParameters(), ConstByteArrayParameter(raw(label), label.size())));
    return text(c);
}

// decrypt PRIVATE LABEL CIPHERTEXT: the message
template <class Scheme> static string decrypt(const Words &w) {
    typename Scheme::Decryptor decryptor;
    read(decryptor.AccessKey(), w[1]);
    string label = octets(w[2]), c = octets(w[3]), m(decryptor.MaxPlaintextLength(c.size()) + 1, 0);
    DecodingResult result = decryptor.Decrypt(rng, raw(c), c.size(), (byte *)&m[0],
        MakeParameters(Name::EncodingParameters(), ConstByteArrayParameter(raw(label), label.size())));
    if (!result.isValidCoding) return "refused";
    return text(m.substr(0, result.messageLength));
}

// sign PRIVATE MESSAGE [INSIDE]: a signature
template <class Scheme> static string sign(const Words &w) {
    typename Scheme::Signer signer;
    read(signer.AccessKey(), w[1]);
    string m = octets(w[2]), inside = w.size() > 3 ? octets(w[3]) : "", s(signer.SignatureLength(), 0);
    size_t length = inside.empty()
        ? signer.SignMessage(rng, raw(m), m.size(), (byte *)&s[0])
        : signer.SignMessageWithRecovery(rng, raw(inside), inside.size(), raw(m), m.size(), (byte *)&s[0]);
    return text(s.substr(0, length));
}

// verify PUBLIC MESSAGE SIGNATURE
template <class Scheme> static string verify(const Words &w) {
    typename Scheme::Verifier verifier;
    read(verifier.AccessKey(), w[1]);
    string m = octets(w[2]), s = octets(w[3]);
    return verifier.VerifyMessage(raw(m), m.size(), raw(s), s.size()) ? "right" : "refused";
}

// recover PUBLIC MESSAGE SIGNATURE: the part of the message inside
template <class Scheme> static string recover(const Words &w) {
    typename Scheme::Verifier verifier;
    read(verifier.AccessKey(), w[1]);
    string m = octets(w[2]), s = octets(w[3]), inside(verifier.MaxRecoverableLength() + 1, 0);
    DecodingResult result = verifier.RecoverMessage((byte *)&inside[0], raw(m), m.size(), raw(s), s.size());
    return result.isValidCoding ? text(inside.substr(0, result.messageLength)) : "refused";
}

using Gfp = DL_GroupParameters_GFP_DefaultSafePrime;

static Gfp gfp(const string &der) {
    StringSource source(octets(der), true);
    Gfp group;
    group.BERDecode(source);
    return group;
}

static OID curve(const string &name) {
    if (name == "p256") return ASN1::secp256r1();
    if (name == "p384") return ASN1::secp384r1();
    if (name == "p521") return ASN1::secp521r1();
    return ASN1::secp256k1();
}

// generate GROUP: a static private and public key, an ephemeral private and public key
static string key_pairs(AuthenticatedKeyAgreementDomain &&domain) {
    string a(domain.StaticPrivateKeyLength(), 0), A(domain.StaticPublicKeyLength(), 0);
    string x(domain.EphemeralPrivateKeyLength(), 0), X(domain.EphemeralPublicKeyLength(), 0);
    domain.GenerateStaticKeyPair(rng, (byte *)&a[0], (byte *)&A[0]);
    domain.GenerateEphemeralKeyPair(rng, (byte *)&x[0], (byte *)&X[0]);
    return text(a) + " " + text(A) + " " + text(x.substr(0, a.size())) + " " + text(X);
}

// agree GROUP ROLE STATIC EPHEMERAL EPHEMERAL-PUBLIC OTHER-STATIC OTHER-EPHEMERAL: the shared secret
static string agree(AuthenticatedKeyAgreementDomain &&domain, const Words &w) {
    string a = octets(w[3]), x = octets(w[4]) + octets(w[5]), B = octets(w[6]), Y = octets(w[7]);
    string z(domain.AgreedValueLength(), 0);
    return domain.Agree((byte *)&z[0], raw(a), raw(x), raw(B), raw(Y)) ? text(z) : "refused";
}

template <class H> using Hmqv = HMQV_Domain<Gfp, Gfp::DefaultCofactorOption, H>;
template <class H> using Fhmqv = FHMQV_Domain<Gfp, Gfp::DefaultCofactorOption, H>;
using Ec = DL_GroupParameters_EC<ECP>::DefaultCofactorOption;
template <class H> using EcHmqv = typename ECHMQV<ECP, Ec, H>::Domain;
template <class H> using EcFhmqv = typename ECFHMQV<ECP, Ec, H>::Domain;

static bool client(const Words &w) { return w[2] == "initiator"; }

int main() {
    std::map<string, std::function<string(const Words &)>> requests = {
        {"rabin-generate", generate<RabinSS<PSSR, SHA256>>},
        {"rabin-encrypt-sha1", encrypt<RabinES<OAEP<SHA1>>>},
        {"rabin-decrypt-sha1", decrypt<RabinES<OAEP<SHA1>>>},
        {"rabin-encrypt-sha256", encrypt<RabinES<OAEP<SHA256>>>},
        {"rabin-decrypt-sha256", decrypt<RabinES<OAEP<SHA256>>>},
        {"rabin-sign", sign<RabinSS<PSSR, SHA256>>},
        {"rabin-verify", verify<RabinSS<PSSR, SHA256>>},
        {"rabin-recover", recover<RabinSS<PSSR, SHA256>>},
        {"rw-generate", generate<RWSS<PSSR, SHA256>>},
        {"rw-sign", sign<RWSS<PSSR, SHA256>>},
        {"rw-verify", verify<RWSS<PSSR, SHA256>>},
        {"rw-recover", recover<RWSS<PSSR, SHA256>>},
        {"rw-emsa2-sign", sign<RWSS<P1363_EMSA2, SHA256>>},
        {"rw-emsa2-verify", verify<RWSS<P1363_EMSA2, SHA256>>},
        {"esign-generate", generate<ESIGN<SHA256>>},
        {"esign-sign", sign<ESIGN<SHA256>>},
        {"esign-verify", verify<ESIGN<SHA256>>},
        {"nr-generate", generate<NR<SHA256>>},
        {"nr-sign-sha1", sign<NR<SHA1>>},
        {"nr-verify-sha1", verify<NR<SHA1>>},
        {"nr-sign-sha256", sign<NR<SHA256>>},
        {"nr-verify-sha256", verify<NR<SHA256>>},
        {"nr-sign-sha512", sign<NR<SHA512>>},
        {"nr-verify-sha512", verify<NR<SHA512>>},
        {"ecnr-sign-sha1", sign<ECNR<ECP, SHA1>>},
        {"ecnr-verify-sha1", verify<ECNR<ECP, SHA1>>},
        {"ecnr-sign-sha256", sign<ECNR<ECP, SHA256>>},
        {"ecnr-verify-sha256", verify<ECNR<ECP, SHA256>>},
        {"ecnr-sign-sha512", sign<ECNR<ECP, SHA512>>},
        {"ecnr-verify-sha512", verify<ECNR<ECP, SHA512>>},
        {"dlies-encrypt-sha1", encrypt<DLIES<SHA1>>},
        {"dlies-decrypt-sha1", decrypt<DLIES<SHA1>>},
        {"dlies-encrypt-sha256", encrypt<DLIES<SHA256>>},
        {"dlies-decrypt-sha256", decrypt<DLIES<SHA256>>},
        {"ecies-encrypt-sha1", encrypt<ECIES<ECP, SHA1>>},
        {"ecies-decrypt-sha1", decrypt<ECIES<ECP, SHA1>>},
        {"ecies-encrypt-sha256", encrypt<ECIES<ECP, SHA256>>},
        {"ecies-decrypt-sha256", decrypt<ECIES<ECP, SHA256>>},
        {"mqv-generate", [](const Words &w) { return key_pairs(MQV_Domain<Gfp>(gfp(w[1]))); }},
        {"mqv", [](const Words &w) { return agree(MQV_Domain<Gfp>(gfp(w[1])), w); }},
        {"hmqv-sha256", [](const Words &w) { return agree(Hmqv<SHA256>(gfp(w[1]), client(w)), w); }},
        {"hmqv-sha512", [](const Words &w) { return agree(Hmqv<SHA512>(gfp(w[1]), client(w)), w); }},
        {"fhmqv-sha256", [](const Words &w) { return agree(Fhmqv<SHA256>(gfp(w[1]), client(w)), w); }},
        {"fhmqv-sha512", [](const Words &w) { return agree(Fhmqv<SHA512>(gfp(w[1]), client(w)), w); }},
        {"ecmqv-generate", [](const Words &w) { return key_pairs(ECMQV<ECP>::Domain(curve(w[1]))); }},
        {"ecmqv", [](const Words &w) { return agree(ECMQV<ECP>::Domain(curve(w[1])), w); }},
        {"echmqv-sha256", [](const Words &w) { return agree(EcHmqv<SHA256>(curve(w[1]), client(w)), w); }},
        {"echmqv-sha512", [](const Words &w) { return agree(EcHmqv<SHA512>(curve(w[1]), client(w)), w); }},
        {"ecfhmqv-sha256", [](const Words &w) { return agree(EcFhmqv<SHA256>(curve(w[1]), client(w)), w); }},
        {"ecfhmqv-sha512", [](const Words &w) { return agree(EcFhmqv<SHA512>(curve(w[1]), client(w)), w); }},
    };
    string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        Words w;
        for (string x; words >> x;) w.push_back(x);
        string answer = "refused";
        try {
            answer = requests.at(w.at(0))(w);
        } catch (const std::exception &e) {
            std::cerr << w[0] << ": " << e.what() << std::endl;
        }
        std::cout << answer << std::endl;
    }
}
