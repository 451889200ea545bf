/** The bounds of one question to a model behind an API, and of its answer. */
import { KiB, MiB } from './browser-limits.ts'

export const modelLimits = {
  /** Silence between two bytes of an answer; a model that thinks first is silent for long. */
  modelSilenceMs: 2 * 60_000,
  /** From the question to the end of the answer, however lively it is. */
  modelCallMs: 10 * 60_000,
  /** Text and arguments of one answer together. */
  modelAnswerChars: 200_000,
  /** Of an answer on its way: each token of a stream is wrapped in some 300 bytes. */
  modelAnswerBytes: 32 * MiB,
  /** Of one event of a stream, which is kept until it is whole. */
  modelEventBytes: 1 * MiB,
  modelToolCalls: 64,
  /** Read of a refusal, searched for what it is about, and repeated to the owner of the task. */
  modelRefusalBytes: 64 * KiB,
  modelRefusalChars: 4_096,
  modelExcerptChars: 300,
  /** Questions put again in another form, because the provider does not take this one. */
  modelRephrasings: 4,
  /** For how many models it is remembered in which form they take questions. */
  modelsRemembered: 1_000,
  /** Whoever says to come back later than this is not waited for. */
  modelRetryAfterMaxMs: 24 * 60 * 60_000,
} as const
