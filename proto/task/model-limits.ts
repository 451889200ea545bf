/** Limits of one request to a model behind an API, and of its answer. */
import { KiB, MiB } from '../browser-host/browser-limits.ts'

export const modelLimits = {
  /** Silence between two bytes of an answer; a model that thinks first is silent for long. */
  modelSilenceMs: 2 * 60_000,
  /** From the request to the end of the answer, even while it is still arriving. */
  modelCallMs: 10 * 60_000,
  /** Text and arguments of one answer together. */
  modelAnswerChars: 200_000,
  /** Bytes of a streamed answer: each token is wrapped in about 300 bytes. */
  modelAnswerBytes: 32 * MiB,
  /** Bytes of one event of a stream, which is buffered until it is complete. */
  modelEventBytes: 1 * MiB,
  modelToolCalls: 64,
  /** Bytes read of a refusal, which is searched for its cause and repeated to the task's owner. */
  modelRefusalBytes: 64 * KiB,
  modelRefusalChars: 4_096,
  modelExcerptChars: 300,
  /** Repeated requests in another form, because the provider does not accept the first one. */
  modelRephrasings: 4,
  /** Models for which the accepted form of requests is remembered. */
  modelsRemembered: 1_000,
  /** If a provider asks to wait longer than this, the request is not retried. */
  modelRetryAfterMaxMs: 24 * 60 * 60_000,
} as const
