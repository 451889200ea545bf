/** How a task runs: limits, with their units in their names. */
import { KiB, MiB, dayMs } from '../../proto/units.ts'

export const taskRunLimits = {
  /** From the request to its answer. */
  restrictMs: 15_000,

  /**
   * Sealed size of the secrets that a host caches in opened form, over all tasks; their patterns
   * take far more.
   */
  secretsHeldChars: 64 * KiB,
  /** A task that has not used its secrets for this long has ended or moved to another host. */
  secretsHeldMs: 60_000,
  /**
   * A session created for a task lives this much longer than the task, so that the task can leave
   * it regularly.
   */
  taskSessionSpareMinutes: 1,
  /** How long a task's browser may be unreachable while its session lives. */
  taskReachMs: 20_000,
  taskReachRetryMs: 100,
  /** Consecutive failures of the kinds that a retry may solve. */
  modelTries: 6,
  modelRetryMs: 1_000,
  modelRetryMaxMs: 30_000,
  modelSqueezes: 3,
  modelRepairs: 2,
  resultRepairs: 1,
  finalChecks: 2,
  /** A page with a canvas and less text than this counts as visual. */
  visualPageChars: 400,
  /** The log entry that begins a step contains the decision twice. */
  decisionBytes: 48 * KiB,
  /** Outcomes of all actions of one step together. */
  stepTextBytes: 24 * KiB,
  /** Share of the viewport. */
  visualPercent: 50,
  /** Outcome of one action in the public record. */
  recordedTextChars: 2_000,
  /** Steps whose picture is known to be stored without asking the store. */
  picturesRemembered: 1_000,
  /** Tasks whose stored bytes a host counts; those of further ones are counted too low. */
  tasksTallied: 1_000,
  /** Pictures that are stored for one task; steps after that have none. */
  pictureBytes: 64 * MiB,
  /** How long a finished task waits for its last picture before it leaves its browser. */
  taskLastPictureMs: 1_000,
  publishAttempts: 100,
  publishRetryMs: 100,
  publishRetryMaxMs: 5_000,

  agentsPerHost: 8,
  /** Per task and host: a new agent continues if the last one died. */
  agentStarts: 3,
  /** For `initialize`, and again for `session/new`: some agents take 15 s. */
  agentHandshakeMs: 60_000,
  /** Until it has listed its tools, which takes a minute at worst. */
  agentToolsMs: 90_000,
  agentSettingMs: 10_000,
  agentCancelMs: 1_000,
  /** Between SIGTERM and SIGKILL: the agent may be saving its renewed login. */
  agentTermMs: 1_000,
  agentReapMs: 5_000,
  /** One line of the protocol; it may quote a tool's answer with a picture. */
  agentLineBytes: 16 * MiB,
  agentStderrChars: 4_096,
  /** Silence of a working agent: time without a thought, a text or an action. */
  agentSilenceMs: 3 * 60_000,
  /** Refused permissions between two of its calls. */
  agentRefusals: 10,
  /** Own tools, model calls or snapshots between two of its calls; fewer if its task has fewer steps. */
  agentOutsideActs: 20,
  agentOutsideActsMin: 3,
  agentToolCallsKept: 256,
  /** The name of a tool or the id of a call: a line of the protocol could hold far more. */
  agentNameChars: 200,
  /** The end of the agent's text between two calls that is kept. */
  agentOutputChars: 4_000,
  agentCallsWaiting: 16,
  /** Calls whose outcomes are kept for repeated requests. */
  agentCallsKnown: 64,

  /** How long a request may take before its task reports that it waits for the model. */
  modelWaitNoticeMs: 2_000,
  answerTokens: 16_000,
  verdictTokens: 4_000,
  /** Actions of one answer; further ones are refused. */
  answerCalls: 10,
  answerCallsRead: 100,
  /**
   * Arguments of one tool call; below, all actions of one answer, which are stored in the task's
   * log.
   */
  callChars: 64_000,
  answerActsBytes: 32 * KiB,
  noteChars: 1_000,
  questionChars: 2_000,
  /** One text of an action's input, as it is recorded. */
  givenChars: 500,
  /** A whole input; below, its fields and the items of a list. */
  recordedChars: 2_000,
  recordedFields: 12,
  elementChars: 200,
  /** A page in a prompt; its token budget is set by the reader. */
  taskPageChars: 100_000,
  taskTitleChars: 200,
  taskUrlChars: 500,
  taskTabs: 20,
  taskNotices: 12,
  noticeChars: 4_000,
  /** What a final check finds missing, which becomes a notice. */
  missingChars: 600,

  trailActs: 20,
  loopActs: 16,
  cycleActs: 4,
  unchangedSteps: 5,
  unchangedStepsMax: 15,
  idleSteps: 3,
  idleStepsMax: 6,

  /** Nesting of a result's schema that a model sees; below, one text in it. */
  schemaDepth: 12,
  schemaTextChars: 300,
  toolNameChars: 64,

  factChars: 500,
  factsChars: 3_500,
  stepsRemembered: 7,
  /** What the newest step returned. */
  newestChars: 8_000,
  memoryPageChars: 300,
  actTextChars: 800,
  actInputChars: 200,
  pastPageChars: 120,
  pastNoteChars: 300,
  pastActs: 5,
  pastActChars: 160,
  /** Older steps, folded to one line each. */
  foldedSteps: 10,
  foldedChars: 240,
  foldedNoteChars: 120,
  foldedActChars: 80,
  foldedOldChars: 80,
  foldedInAllChars: 4_000,

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
  modelRetryAfterMaxMs: dayMs,
} as const
