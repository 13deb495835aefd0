/* Threads that sign one message at a time: a service makes groups of their calls. */
#include <carrysave.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, CALLS = 8 };

static cs_key *key;
static cs_service *service;

static void *work(void *number) {
  uint8_t digest[32], signature[256];
  cs_job job;
  size_t len;

  for (int i = 0; i < CALLS; i++) {
    if (cs_digest(CS_SHA256, (const uint8_t *)number, 1, digest, sizeof digest, &len) != CS_OK)
      return number;
    memset(&job, 0, sizeof job);
    job.operation = CS_SIGN_PSS;
    job.hash = CS_SHA256;
    job.key = key;
    job.input = digest;
    job.input_len = sizeof digest;
    job.output = signature;
    job.output_size = sizeof signature;
    if (cs_service_run(service, &job) != CS_OK ||
        cs_verify(CS_VERIFY_PSS, key, CS_SHA256, digest, sizeof digest, signature, job.output_len) != CS_OK)
      return number;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  uint8_t numbers[THREADS];
  cs_service_counters counters;
  int failed = 0;

  if (cs_key_generate(CS_RSA, 2048, &key) != CS_OK || cs_service_new(0, 50, &service) != CS_OK)
    return 1;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = (uint8_t)i;
    if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
      return 1;
  }
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    failed |= result != NULL;
  }
  if (cs_service_count(service, &counters) != CS_OK)
    return 1;
  printf("%llu signatures in %llu groups\n", (unsigned long long)counters.jobs, (unsigned long long)counters.groups);
  cs_service_free(service);
  cs_key_free(key);
  return failed || counters.jobs != THREADS * CALLS;
}
