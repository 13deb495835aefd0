//! Published vectors that are short enough to be kept here.

/// Parameters and a key pair.
pub struct Key {
    pub p: &'static str,
    pub q: &'static str,
    pub g: &'static str,
    pub x: &'static str,
    pub y: &'static str,
}

/// A deterministic signature: the hash, the message, r and s one after the other.
pub type Signed = (&'static str, &'static str, &'static str);

/// RFC 6979, A.2.1: 1024 bits.
pub const RFC6979_1024: Key = Key {
    p: "\
        86f5ca03dcfeb225063ff830a0c769b9dd9d6153ad91d7ce27f787c43278b447e6533b86b18bed6e8a48b784a14c252c\
        5be0dbf60b86d6385bd2f12fb763ed8873abfd3f5ba2e0a8c0a59082eac056935e529daf7c610467899c77adedfc846c\
        881870b7b19b2b58f9be0521a17002e3bdd6b86685ee90b3d9a1b02b782b1779",
    q: "996f967f6c8e388d9e28d01e205fba957a5698b1",
    g: "\
        07b0f92546150b62514bb771e2a0c0ce387f03bda6c56b505209ff25fd3c133d89bbcd97e904e09114d9a7defdeadfc9\
        078ea544d2e401aeecc40bb9fbbf78fd87995a10a1c27cb7789b594ba7efb5c4326a9fe59a070e136db77175464adca4\
        17be5dce2f40d10a46a3a3943f26ab7fd9c0398ff8c76ee0a56826a8a88f1dbd",
    x: "411602cb19a6ccc34494d79d98ef1e7ed5af25f7",
    y: "\
        5df5e01ded31d0297e274e1691c192fe5868fef9e19a84776454b100cf16f65392195a38b90523e2542ee61871c0440c\
        b87c322fc4b4d2ec5e1e7ec766e1be8d4ce935437dc11c3c8fd426338933ebfe739cb3465f4d3668c5e473508253b1e6\
        82f65cbdc4fae93c2ea212390e54905a86e2223170b44eaa7da5dd9ffcfb7f3b",
};

/// What that key signs.
pub const SIGNED_1024: &[Signed] = &[
    (
        "SHA-1",
        "sample",
        "2e1a0c2562b2912caaf89186fb0f42001585da5529efb6b0aff2d7a68eb70ca313022253b9a88df5",
    ),
    (
        "SHA-1",
        "test",
        "42ab2052fd43e123f0607f115052a67dcd9c5c77183916b0230d45b9931491d4c6b0bd2fb4aaf088",
    ),
    (
        "SHA-224",
        "sample",
        "4bc3b686aea70145856814a6f1bb53346f02101e410697b92295d994d21edd2f4ada85566f6f94c1",
    ),
    (
        "SHA-224",
        "test",
        "6868e9964e36c1689f6037f91f28d5f2c30610f249cec3acdc83018c5bd2674ecaad35b8cd22940f",
    ),
    (
        "SHA-256",
        "sample",
        "81f2f5850be5bc123c43f71a3033e9384611c5454cdd914b65eb6c66a8aaad27299bee6b035f5e89",
    ),
    (
        "SHA-256",
        "test",
        "22518c127299b0f6fdc9872b282b9e70d07908126837ec18f150d55de95b5e29be7af5d01e4fe160",
    ),
    (
        "SHA-384",
        "sample",
        "07f2108557ee0e3921bc1774f1ca9b410b4ce65a54df70456c86fac10fab47c1949ab83f2c6f7595",
    ),
    (
        "SHA-384",
        "test",
        "854cf929b58d73c3cbfdc421e8d5430cd6db5e6691d0e0f53e22f898d158380676a871a157cda622",
    ),
    (
        "SHA-512",
        "sample",
        "16c3491f9b8c3fbbdd5e7a7b667057f0d8ee8e1b02c36a127a7b89edbb72e4ffbc71dabc7d4fc69c",
    ),
    (
        "SHA-512",
        "test",
        "8ea47e475ba8ac6f2d821da3bd212d11a3deb9a07c670c7ad72b6c050c109e1790008097125433e8",
    ),
];

/// RFC 6979, A.2.2: 2048 bits.
pub const RFC6979_2048: Key = Key {
    p: "\
        9db6fb5951b66bb6fe1e140f1d2ce5502374161fd6538df1648218642f0b5c48c8f7a41aadfa187324b87674fa1822b0\
        0f1ecf8136943d7c55757264e5a1a44ffe012e9936e00c1d3e9310b01c7d179805d3058b2a9f4bb6f9716bfe6117c6b5\
        b3cc4d9be341104ad4a80ad6c94e005f4b993e14f091eb51743bf33050c38de235567e1b34c3d6a5c0ceaa1a0f368213\
        c3d19843d0b4b09dcb9fc72d39c8de41f1bf14d4bb4563ca28371621cad3324b6a2d392145bebfac748805236f5ca2fe\
        92b871cd8f9c36d3292b5509ca8caa77a2adfc7bfd77dda6f71125a7456fea153e433256a2261c6a06ed3693797e7995\
        fad5aabbcfbe3eda2741e375404ae25b",
    q: "f2c3119374ce76c9356990b465374a17f23f9ed35089bd969f61c6dde9998c1f",
    g: "\
        5c7ff6b06f8f143fe8288433493e4769c4d988ace5be25a0e24809670716c613d7b0cee6932f8faa7c44d2cb24523da5\
        3fbe4f6ec3595892d1aa58c4328a06c46a15662e7eaa703a1decf8bbb2d05dbe2eb956c142a338661d10461c0d135472\
        085057f3494309ffa73c611f78b32adbb5740c361c9f35be90997db2014e2ef5aa61782f52abeb8bd6432c4dd097bc54\
        23b285dafb60dc364e8161f4a2a35aca3a10b1c4d203cc76a470a33afdcbdd92959859abd8b56e1725252d78eac66e71\
        ba9ae3f1dd2487199874393cd4d832186800654760e1e34c09e4d155179f9ec0dc4473f996bdce6eed1cabed8b6f116f\
        7ad9cf505df0f998e34ab27514b0ffe7",
    x: "69c7548c21d0dfea6b9a51c9ead4e27c33d3b3f180316e5bcab92c933f0e4dbc",
    y: "\
        667098c654426c78d7f8201eac6c203ef030d43605032c2f1fa937e5237dbd949f34a0a2564fe126dc8b715c5141802c\
        e0979c8246463c40e6b6bdaa2513fa611728716c2e4fd53bc95b89e69949d96512e873b9c8f8dfd499cc312882561ade\
        cb31f658e934c0c197f2c4d96b05cbad67381e7b768891e4da3843d24d94cdfb5126e9b8bf21e8358ee0e0a30ef13fd6\
        a664c0dce3731f7fb49a4845a4fd8254687972a2d382599c9bac4e0ed7998193078913032558134976410b89d2c171d1\
        23ac35fd977219597aa7d15c1a9a428e59194f75c721ebcbcfae44696a499afa74e04299f132026601638cb87ab79190\
        d4a0986315da8eec6561c938996beadf",
};

/// What that key signs.
pub const SIGNED_2048: &[Signed] = &[
    (
        "SHA-1",
        "sample",
        "\
        3a1b2dbd7489d6ed7e608fd036c83af396e290dbd602408e8677daabd6e7445ad26fcba19fa3e3058ffc02ca1596cdbb\
        6e0d20cb37b06054f7e36ded0cdbbccf",
    ),
    (
        "SHA-1",
        "test",
        "\
        c18270a93cfc6063f57a4dfa86024f700d980e4cf4e2cb65a504397273d98ea0414f22e5f31a8b6d33295c7539c1c1ba\
        3a6160d7d68d50ac0d3a5beac2884faa",
    ),
    (
        "SHA-224",
        "sample",
        "\
        dc9f4deada8d8ff588e98fed0ab690ffce858dc8c79376450eb6b76c24537e2ca65a9c3bc7babe286b195d5da68616da\
        8d47fa0097f36dd19f517327dc848cec",
    ),
    (
        "SHA-224",
        "test",
        "\
        272aba31572f6cc55e30bf616b7a265312018dd325be031be0cc82aa17870ea3e9cc286a52cce201586722d36d1e917e\
        b96a4ebdb47932f9576ac645b3a60806",
    ),
    (
        "SHA-256",
        "sample",
        "\
        eace8bdbbe353c432a795d9ec556c6d021f7a03f42c36e9bc87e4ac7932cc8097081e175455f9247b812b74583e9e94f\
        9ea79bd640dc962533b0680793a38d53",
    ),
    (
        "SHA-256",
        "test",
        "\
        8190012a1969f9957d56fccaad223186f423398d58ef5b3cefd5a4146a4476f07452a53f7075d417b4b013b278d1bb8b\
        bd21863f5e7b1cee679cf2188e1ab19e",
    ),
    (
        "SHA-384",
        "sample",
        "\
        b2da945e91858834fd9bf616ebac151edbc4b45d27d0dd4a7f6a22739f45c00b19048b63d9fd6bca1d9bae3664e1bcb9\
        7f7276c306130969f63f38fa8319021b",
    ),
    (
        "SHA-384",
        "test",
        "\
        239e66ddbe8f8c230a3d071d601b6ffbdfb5901f94d444c6af56f732beb954be6bd737513d5e72fe85d1c750e0f73921\
        fe299b945aad1c802f15c26a43d34961",
    ),
    (
        "SHA-512",
        "sample",
        "\
        2016ed092dc5fb669b8efb3d1f31a91eecb199879be0cf78f02ba062cb4c942ed0c76f84b5f091e141572a639a4fb8c2\
        30807eea7d55c8a154a224400aff2351",
    ),
    (
        "SHA-512",
        "test",
        "\
        89ec4bb1400eccff8e7d9aa515cd1de7803f2daff09693ee7fd1353e90a68307c9f0bdabcc0d880bb137a994cc7f3980\
        ce91cc10faf529fc46565b15cea854e1",
    ),
];

/// Parameters, two key pairs and what they agree on.
pub struct Agreement {
    pub p: &'static str,
    pub q: &'static str,
    pub g: &'static str,
    pub x: [&'static str; 2],
    pub y: [&'static str; 2],
    pub z: &'static str,
}

/// RFC 5114, A.1 and A.2: 1024 bits with 160, 2048 with 224.
pub const RFC5114: [Agreement; 2] = [
    Agreement {
        p: "\
            b10b8f96a080e01dde92de5eae5d54ec52c99fbcfb06a3c69a6a9dca52d23b616073e28675a23d189838ef1e2ee652c0\
            13ecb4aea906112324975c3cd49b83bfaccbdd7d90c4bd7098488e9c219a73724effd6fae5644738faa31a4ff55bccc0\
            a151af5f0dc8b4bd45bf37df365c1a65e68cfda76d4da708df1fb2bc2e4a4371",
        q: "f518aa8781a8df278aba4e7d64b7cb9d49462353",
        g: "\
            a4d1cbd5c3fd34126765a442efb99905f8104dd258ac507fd6406cff14266d31266fea1e5c41564b777e690f5504f213\
            160217b4b01b886a5e91547f9e2749f4d7fbd7d3b9a92ee1909d0d2263f80a76a6a24c087a091f531dbf0a0169b6a28a\
            d662a4d18e73afa32d779d5918d08bc8858f4dcef97c2a24855e6eeb22b3b2e5",
        x: [
            "b9a3b3ae8fefc1a2930496507086f8455d48943e",
            "9392c9f9eb6a7a6a9022f7d83e7223c6835bbdda",
        ],
        y: [
            "\
                2a853b3d92197501b9015b2deb3ed84f5e021dcc3e52f109d3273d2b7521281cbabe0e76ff5727fa8acce26956ba9a1f\
                ca26f20228d8693feb10841d84a7360054ece5a7f5b7a61ad3dfb3c60d2e43106d8727da37df9cce95b478755d06bcea\
                8f9d45965f75a5f3d1df3701165fc9e50c4279ceb07f989540ae96d5d88ed776",
            "\
                717a6cb053371ff4a3b932941c1e5663f861a1d6ad34ae66576dfb98f6c6cbf9ddd5a56c7833f6bcfdff095582ad868e\
                440e8d09fd769e3ceccdc3d3b1e4cfa057776caaf9739b6a9fee8e7411f8d6dac09d6a4edb46cc2b5d5203090eae6126\
                311e53fd2c14b574e6a3109a3da1be41bdceaa186f5ce06716a2b6a07b3c33fe",
        ],
        z: "\
            5c804f454d30d9c4df85271f93528c91df6b48ab5f80b3b59caac1b28f8acba9cd3e39f3cb614525d9521d2e644c53b8\
            07b810f340062f257d7d6fbfe8d5e8f072e9b6e9afda9413eafb2e8b0699b1fb5a0caceddeaead7e9cfbb36ae2b42083\
            5bd83a19fb0b5e96bf8fa4d09e345525167ecd9155416f46f408ed31b63c6e6d",
    },
    Agreement {
        p: "\
            ad107e1e9123a9d0d660faa79559c51fa20d64e5683b9fd1b54b1597b61d0a75e6fa141df95a56dbaf9a3c407ba1df15\
            eb3d688a309c180e1de6b85a1274a0a66d3f8152ad6ac2129037c9edefda4df8d91e8fef55b7394b7ad5b7d0b6c12207\
            c9f98d11ed34dbf6c6ba0b2c8bbc27be6a00e0a0b9c49708b3bf8a317091883681286130bc8985db1602e714415d9330\
            278273c7de31efdc7310f7121fd5a07415987d9adc0a486dcdf93acc44328387315d75e198c641a480cd86a1b9e587e8\
            be60e69cc928b2b9c52172e413042e9b23f10b0e16e79763c9b53dcf4ba80a29e3fb73c16b8e75b97ef363e2ffa31f71\
            cf9de5384e71b81c0ac4dffe0c10e64f",
        q: "801c0d34c58d93fe997177101f80535a4738cebcbf389a99b36371eb",
        g: "\
            ac4032ef4f2d9ae39df30b5c8ffdac506cdebe7b89998caf74866a08cfe4ffe3a6824a4e10b9a6f0dd921f01a70c4afa\
            ab739d7700c29f52c57db17c620a8652be5e9001a8d66ad7c17669101999024af4d027275ac1348bb8a762d0521bc98a\
            e247150422ea1ed409939d54da7460cdb5f6c6b250717cbef180eb34118e98d119529a45d6f834566e3025e316a330ef\
            bb77a86f0c1ab15b051ae3d428c8f8acb70a8137150b8eeb10e183edd19963ddd9e263e4770589ef6aa21e7f5f2ff381\
            b539cce3409d13cd566afbb48d6c019181e1bcfe94b30269edfe72fe9b6aa4bd7b5a0f1c71cfff4c19c418e1f6ec0179\
            81bc087f2a7065b384b890d3191f2bfa",
        x: [
            "22e62601dbffd06708a680f747f361f76d8f4f721a0548e483294b0c",
            "4ff3bc96c7fc6a6d71d3b363800a7cdfef6fc41b4417ea15353b7590",
        ],
        y: [
            "\
                1b3a63451bd886e699e67b494e288bd7f8e0d370badda7a0efd2fde7d8f66145cc9f280419975eb808877c8a4c0c8e0b\
                d48d4a5401eb1e8776bfeee134c03831ac273cd9d635ab0ce006a42a887e3f52fb8766b650f38078bc8ee8580cefe243\
                968cfc4f8dc3db084554171d41bf2e861b7bb4d69dd0e01ea387cbaa5ca672afcbe8bdb9d62d4ce15f17dd36f91ed1ee\
                dd65ca4a06455cb94cd40a52ec360e84b3c926e22c4380a3bf309d56849768b7f52cfdf655fd053a7ef706979e7e5806\
                b17dfae53ad2a5bc568ebb529a7a61d68d256f8fc97c074a861d827e2ebc8c6134553115b70e7103920aa16d85e52bcb\
                ab8d786a68178fa8ff7c2f5c71648d6f",
            "\
                4dcee992a9762a13f2f83844ad3d77ee0e31c9718b3db6c2035d3961182c3e0ba247ec4182d760cd48d99599970622a1\
                881bba2dc822939c78c3912c6661fa5438b20766222b75e24c2e3ad0c7287236129525ee15b5dd7998aa04c4a9696cac\
                d7172083a97a81664ead2c479e444e4c0654cc19e28d7703cee8dacd6126f5d665ec52c67255db92014b037eb621a2ac\
                8e365de071ffc1400acf077a12913dd8de89473437ab7ba346743c1b215dd9c12164a7e4053118d199bec8ef6fc56117\
                0c84c87d10ee9a674a1fa8ffe13bdfba1d44de48946d68dc0cdd777635a7ab5bfb1e4bb7b856f96827734c184138e915\
                d9c3002ebce53120546a7e2002142b6c",
        ],
        z: "\
            34d9bddc1b42176c313fea034c21034d074a6313bb4ecdb3703fff424567a46bdf75530ede0a9da5229de7d76732286c\
            bc0f91da4c3c852fc099c679531d94c78ab03d9decb0a4e4ca8b2bb4591c4021cf8ce3a20a541d33994017d0200ae2c9\
            516e2ff5145779269e862b0fb474a2d56dc31ed569a7700b4c4ab16b22a45513531ef523d71212077b5a169bdeffad7a\
            d9608284c7795b6d5a5183b87066de17d8d671c9ebd8ec89544d45ec061593d442c62ab9ce3b1cb9943a1d23a5ea3bcf\
            21a01471e67e003e7f8a69c728be490b2fc88cfeb92db6a215e5d03c17c464c9ac1a46e203e13f952995fb03c69d3cc4\
            7fcb510b6998ffd3aa6de73cf9f63869",
    },
];
