// Crypto++ as a rival: operations that are prepared once, and done again and again on command. A request is a line of
// words between blanks, octets in hexadecimal, and so is what comes back:
//
//   prepare OPERATION OCTETS...   octets of the answer and nanoseconds of the first time, or "refused" and why
//   run INDEX TIMES               nanoseconds of so many more; operations count from 0 in the order of their preparation
//
// Time is the processor time of this process, as that of the others in the race.

#include <cryptopp/dh.h>
#include <cryptopp/dsa.h>
#include <cryptopp/eccrypto.h>
#include <cryptopp/esign.h>
#include <cryptopp/filters.h>
#include <cryptopp/gfpcrypt.h>
#include <cryptopp/hex.h>
#include <cryptopp/mqv.h>
#include <cryptopp/oaep.h>
#include <cryptopp/oids.h>
#include <cryptopp/osrng.h>
#include <cryptopp/pssr.h>
#include <cryptopp/rabin.h>
#include <cryptopp/rsa.h>
#include <cryptopp/rw.h>
#include <cryptopp/sha.h>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <time.h>
#include <vector>

using namespace CryptoPP;
using std::string;

static AutoSeededRandomPool rng;

// An operation, which gives octets.
using Operation = std::function<string()>;

// What it is prepared from: octets, and whether tables of powers are to be made.
struct Task {
    std::vector<string> octets;
    bool precompute;
};

static byte *raw(string &s) { return reinterpret_cast<byte *>(&s[0]); }
static const byte *raw(const string &s) { return reinterpret_cast<const byte *>(s.data()); }

// An object of a scheme with the private key of a task.
template <class Private> static Private with_key(const Task &task) {
    Private scheme;
    StringSource source(task.octets.at(0), true);
    scheme.AccessKey().BERDecode(source);
    return scheme;
}

// The same ready for use, or the public one that belongs to it; with tables as large as in Crypto++'s own benchmark.
template <class Scheme, class From> static std::shared_ptr<Scheme> ready(const Task &task, const From &from) {
    auto scheme = std::make_shared<Scheme>(from);
    if (task.precompute) scheme->AccessMaterial().Precompute(16);
    return scheme;
}

// PRIVATE MESSAGE: a ciphertext
template <class Scheme> static Operation encryption(const Task &task) {
    auto key = ready<typename Scheme::Encryptor>(task, with_key<typename Scheme::Decryptor>(task));
    string m = task.octets.at(1);
    return [=] {
        string c(key->CiphertextLength(m.size()), 0);
        key->Encrypt(rng, raw(m), m.size(), raw(c));
        return c;
    };
}

// PRIVATE CIPHERTEXT: the message
template <class Scheme> static Operation decryption(const Task &task) {
    auto key = ready<typename Scheme::Decryptor>(task, with_key<typename Scheme::Decryptor>(task));
    string c = task.octets.at(1);
    return [=] {
        string m(key->MaxPlaintextLength(c.size()) + 1, 0);
        DecodingResult result = key->Decrypt(rng, raw(c), c.size(), raw(m));
        m.resize(result.isValidCoding ? result.messageLength : 0);
        return m;
    };
}

// PRIVATE MESSAGE: a signature
template <class Scheme> static Operation signature(const Task &task) {
    auto key = ready<typename Scheme::Signer>(task, with_key<typename Scheme::Signer>(task));
    string m = task.octets.at(1);
    return [=] {
        string s(key->SignatureLength(), 0);
        s.resize(key->SignMessage(rng, raw(m), m.size(), raw(s)));
        return s;
    };
}

// PRIVATE MESSAGE SIGNATURE: an octet, 1 if it is right
template <class Scheme> static Operation verification(const Task &task) {
    auto key = ready<typename Scheme::Verifier>(task, with_key<typename Scheme::Signer>(task));
    string m = task.octets.at(1), s = task.octets.at(2);
    return [=] { return string(1, key->VerifyMessage(raw(m), m.size(), raw(s), s.size())); };
}

using Gfp = DL_GroupParameters_GFP_DefaultSafePrime;
using Curve = DL_GroupParameters_EC<ECP>;

// A domain of a group.
template <class Domain, class Group = Gfp> static std::shared_ptr<Domain> domain(const Task &task) {
    StringSource source(task.octets.at(0), true);
    Group group;
    group.BERDecode(source);
    return ready<Domain>(task, group);
}

// GROUP: a private key and its public key
static Operation dh_pair(const Task &task) {
    auto dh = domain<DH>(task);
    return [=] {
        string x(dh->PrivateKeyLength(), 0), y(dh->PublicKeyLength(), 0);
        dh->GenerateKeyPair(rng, raw(x), raw(y));
        return x + y;
    };
}

// GROUP: the same
template <class Domain, class Group> static Operation mqv_pair(const Task &task) {
    auto mqv = domain<Domain, Group>(task);
    return [=] {
        string x(mqv->StaticPrivateKeyLength(), 0), y(mqv->StaticPublicKeyLength(), 0);
        mqv->GenerateStaticKeyPair(rng, raw(x), raw(y));
        return x + y;
    };
}

// GROUP PRIVATE PUBLIC: the shared secret. The public key was checked beforehand, as for the others.
static Operation dh_agreement(const Task &task) {
    auto dh = domain<DH>(task);
    string x = task.octets.at(1), y = task.octets.at(2);
    return [=] {
        string z(dh->AgreedValueLength(), 0);
        if (!dh->Agree(raw(z), raw(x), raw(y), false)) z.clear();
        return z;
    };
}

// GROUP STATIC EPHEMERAL EPHEMERAL-PUBLIC OTHER-STATIC OTHER-EPHEMERAL: the shared secret
template <class Domain, class Group> static Operation mqv_agreement(const Task &task) {
    auto mqv = domain<Domain, Group>(task);
    string a = task.octets.at(1), x = task.octets.at(2) + task.octets.at(3);
    string b = task.octets.at(4), y = task.octets.at(5);
    return [=] {
        string z(mqv->AgreedValueLength(), 0);
        if (!mqv->Agree(raw(z), raw(a), raw(x), raw(b), raw(y))) z.clear();
        return z;
    };
}

static const std::map<string, Operation (*)(const Task &)> operations = {
    {"rsa/encryption", encryption<RSAES<OAEP<SHA256>>>},
    {"rsa/decryption", decryption<RSAES<OAEP<SHA256>>>},
    {"rsa/signature", signature<RSASS<PKCS1v15, SHA256>>},
    {"rsa/verification", verification<RSASS<PKCS1v15, SHA256>>},
    {"rabin/encryption", encryption<RabinES<OAEP<SHA256>>>},
    {"rabin/decryption", decryption<RabinES<OAEP<SHA256>>>},
    {"rabin/signature", signature<RabinSS<PSSR, SHA256>>},
    {"rabin/verification", verification<RabinSS<PSSR, SHA256>>},
    {"rw/signature", signature<RWSS<PSSR, SHA256>>},
    {"rw/verification", verification<RWSS<PSSR, SHA256>>},
    {"esign/signature", signature<ESIGN<SHA256>>},
    {"esign/verification", verification<ESIGN<SHA256>>},
    {"dsa/signature", signature<DSA2<SHA256>>},
    {"dsa/verification", verification<DSA2<SHA256>>},
    {"nr/signature", signature<NR<SHA256>>},
    {"nr/verification", verification<NR<SHA256>>},
    {"dlies/encryption", encryption<DLIES<SHA256>>},
    {"dlies/decryption", decryption<DLIES<SHA256>>},
    {"dh/key-pair-generation", dh_pair},
    {"dh/key-agreement", dh_agreement},
    {"mqv/key-pair-generation", mqv_pair<MQV, Gfp>},
    {"mqv/key-agreement", mqv_agreement<MQV, Gfp>},
    {"ecdsa/signature", signature<ECDSA<ECP, SHA256>>},
    {"ecdsa/verification", verification<ECDSA<ECP, SHA256>>},
    {"ecnr/signature", signature<ECNR<ECP, SHA256>>},
    {"ecnr/verification", verification<ECNR<ECP, SHA256>>},
    {"ecies/encryption", encryption<ECIES<ECP, SHA256>>},
    {"ecies/decryption", decryption<ECIES<ECP, SHA256>>},
    {"ecmqv/key-pair-generation", mqv_pair<ECMQV<ECP>::Domain, Curve>},
    {"ecmqv/key-agreement", mqv_agreement<ECMQV<ECP>::Domain, Curve>},
};

static std::vector<Operation> prepared;

static string octets(const string &hex) {
    string out;
    StringSource(hex, true, new HexDecoder(new StringSink(out)));
    return out;
}

static string hex(const string &octets) {
    string out;
    StringSource(octets, true, new HexEncoder(new StringSink(out), false));
    return out;
}

static long long now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static string prepare(std::istringstream &words) {
    const string end = "-with-precomputation";
    string name;
    words >> name;
    Task task = {{}, name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0};
    if (task.precompute) name.resize(name.size() - end.size());
    for (string word; words >> word;) task.octets.push_back(octets(word));
    if (!operations.count(name)) return "refused there is no such operation";
    Operation operation = operations.at(name)(task);
    long long start = now();
    string answer = operation();
    long long first = now() - start;
    if (answer.empty()) return "refused it gives nothing";
    prepared.push_back(operation);
    return hex(answer) + " " + std::to_string(first);
}

static string run(std::istringstream &words) {
    size_t index;
    unsigned long long times;
    words >> index >> times;
    const Operation &operation = prepared.at(index);
    // Once before, as whoever had the core meanwhile has taken the caches.
    operation();
    long long start = now();
    for (; times > 0; times--) operation();
    return std::to_string(now() - start);
}

int main() {
    for (string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        string request, answer;
        words >> request;
        try {
            answer = request == "run" ? run(words) : prepare(words);
        } catch (const std::exception &e) {
            answer = string("refused ") + e.what();
        }
        std::cout << answer << std::endl;
    }
}
