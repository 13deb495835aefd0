/* Signs a message with Ed25519 and verifies the signature. */
#include <carrysave.h>
#include <stdio.h>

int main(void) {
  const uint8_t message[] = "the message";
  uint8_t signature[64];
  size_t len;
  cs_key *key;
  cs_error error = cs_key_generate(CS_ED25519, 0, &key);

  if (error == CS_OK)
    error = cs_sign(CS_SIGN_ED25519, key, 0, message, sizeof message, signature, sizeof signature, &len);
  if (error == CS_OK)
    error = cs_verify(CS_VERIFY_ED25519, key, 0, message, sizeof message, signature, len);
  cs_key_free(key);
  printf("carrysave %s: %s\n", cs_version(), cs_error_text(error));
  return error != CS_OK;
}
