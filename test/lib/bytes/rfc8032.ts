// RFC 8032 section 7.1: the test vectors of Ed25519. Facts, in hexadecimal.

export interface Rfc8032Vector {
  readonly name: string;
  readonly secretKey: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
}

export const RFC_8032_VECTORS: readonly Rfc8032Vector[] = [
  {
    name: "TEST 1",
    secretKey: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    message: "",
    signature:
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
      "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    name: "TEST 2",
    secretKey: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    message: "72",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
  {
    name: "TEST 3",
    secretKey: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    message: "af82",
    signature:
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac" +
      "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  },
  {
    name: "TEST 1024",
    secretKey: "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
    publicKey: "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
    message: Buffer.from(
      "CLiytzNCQkN2D+QmpLVJCGMhEKZsL2WR6r0zRePk65j6biZL8J7+Eu5Q+PVOn3ex41X2xQVE4j+xQz3fc76E2HnefABG3EmW2edz9Lye/lc4" +
        "gprbJsgbN8k6GycLIDKdZYZ1/G6lNOCBCkQygmv1jJQe+2XVejOLvS4mZA+J/7wahY78uFUO46XhmYvRd+k6c2PDRP5rGZ7l0C6C1SLE/roV" +
        "RS+AKIqCGleRFuxtrSs7MQ2pA0AapiEAq10aNlU+BiA7M4kMybgy9574BWDMuaOc52eWftYoxq1XPLEW2+/v11SZ2pa9aKipe5KKi7wQO2Yh" +
        "/N4r7KEjHSBr5s2ex6/29slPzXIE7TRVxoyD9KQdpK8rdO9cU/HYrHC9y37Rhc6BvYQ1nUQlTZVinphVqUp8GVjR+K2l0FMu2KWqP7LRe6cO" +
        "tiSOWU4aIpesu7OdUC8ajG628c4is94aH0DMJFVBGagxqarWB5ytiEJd5r3hqRh+u2CSz2e/KxP9ZfJwiNeLfog8h1nSxPXGWtt1U4eK1XX5" +
        "+th46AoMm6Y7y8wnMuaUhbvJyQv71iSB2Qib7M+Az+LfFqLPZb2S3Vl7BwfgkXr0i7t1/tQT0jj1VVp6Vp2Aw0FKjQhZ3GWkYSi6snr4enEx" +
        "TzGMeCsj6/6Ai4KwziZAHS4i8E2D0SVdxRrd07daKxrgeEUE31Q6+Jab4+pwgv9/yYiMFE2ir1hCnslgMdvK09rZrw3Lqq8mjLj8/+rZTzx8" +
        "pJXgVqm0es23Uftz5mbGxlWt6Clyl9B60bpeQ/G8oyMBZRM54ikEzIxC9YwwwEqv2wON2ghH3ZiNzabzv9FcS0xFJQBKoG7v+MpheDqs7Ff7" +
        "PR+SsP4v0ahfZyRRe2XmFK1oCNb27jTf9zEP3IKuv9kEsB4dxUspJwlLLbaNb5A7aEAa3r9afgjXj/TvXWNlOmUEDPm/1KynmEp003FFmGeA" +
        "/AsWrEUWSd5hiKfb3xkfZLX8Xiq0e1f39yds1BnBejyo4bk5rknkiKy6a5ZWELVIAQnIsXuA4be3UN/HWY1dUBH9LcxWAKMu9bUqHsyCDjCK" +
        "o0JyGqwJQ79mhrZLJXk3ZQTMxJPZfmrtP7D5zXGkPdSX8B8XwOLLN5eqKi8lZlYWjmxJavxfuTJG9rERY5ijRvGmQfOwQemJ95FPkMwsf/81" +
        "eHblBrUNM0unfCJbwwe6U3FS8/FhDk6v5ZX22dkNEfqpM6Fe8TaVRoaKfzpFqWdo1A/Z0DQSwJHGMVz0/efLaGBpNzgNsuqqcHtMQYXDLt3N" +
        "0wZwXk3B/8hy7u5HWmTfrIarpBwGGJg/h0HF72jToQHoo7jKxgyQXBX8kQhAuUwAoLnQ",
      "base64",
    ).toString("hex"),
    signature:
      "0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350" +
      "aa5371b1508f9f4528ecea23c436d94b5e8fcd4f681e30a6ac00a9704a188a03",
  },
  {
    name: "TEST SHA(abc)",
    secretKey: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
    publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
    message:
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    signature:
      "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589" +
      "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
  },
];
