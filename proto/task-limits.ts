/** The bounds of AI tasks, their agents, and of what models are asked and may answer. */
import { KiB, MiB } from './browser-limits.ts'

export const taskLimits = {
  // Tasks
  promptChars: 50_000,
  providerChars: 64,
  modelChars: 200,
  secretChars: 4_096,
  secretsPerTask: 100,
  /** Names and values of one task together: the patterns of as many take a second or two. */
  secretCharsPerTask: 16_384,
  /** Of all tasks whose secrets a host holds open, as they are sealed: patterns take far more. */
  secretsHeldChars: 64 * KiB,
  /** A task that asks for its secrets no more is over, or another host's. */
  secretsHeldMs: 60_000,
  /** Shorter ones are recognised only as words of their own: by chance they are everywhere. */
  secretStrongChars: 6,
  /** Of one that is cut short on a page: what is taken for it beside the mark of the cut … */
  secretPieceChars: 4,
  secretPieceDigits: 8,
  /** … and what of a long one must be there to be taken for it at all. */
  secretHeadChars: 12,
  domainChars: 255,
  taskDomains: 100,
  tasksPerSession: 100,
  /** A session made for a task outlives its time by so much, to be left in order. */
  taskSessionSpareMinutes: 1,
  /** How long a task's browser may be out of reach while its session lives. */
  taskReachMs: 20_000,
  taskReachRetryMs: 100,
  /** In a row, of the kinds that another try may help. */
  modelTries: 6,
  modelRetryMs: 1_000,
  modelRetryMaxMs: 30_000,
  modelSqueezes: 3,
  modelRepairs: 2,
  resultRepairs: 1,
  finalChecks: 2,
  /** A page with a canvas and less text than that is a picture. */
  visualPageChars: 400,
  /** A decision stands in two places of the entry that begins its step. */
  decisionBytes: 48 * KiB,
  /** Of what the actions of one step came to, together. */
  stepTextBytes: 24 * KiB,
  /** Of what is in view. */
  visualPercent: 50,
  /** Of what one action came to, in the public record. */
  recordedTextChars: 2_000,
  /** For how many steps it is known that their picture is kept, without asking the store. */
  picturesRemembered: 1_000,
  /** How long a task that is over waits for its last picture before it leaves its browser. */
  taskLastPictureMs: 1_000,
  publishAttempts: 100,
  publishRetryMs: 100,
  publishRetryMaxMs: 5_000,
  taskSteps: 200,
  taskStepsMax: 1_000,
  taskSeconds: 60 * 60,
  taskSecondsMax: 24 * 60 * 60,
  /** Of an order as it stands in the log, beside all that the task then learns. */
  taskOrderBytes: 64 * KiB,
  /** How long a request that cancels waits for the end, before it says how far that is. */
  cancelMs: 5_000,
  /** Before a held request is answered with white space, for Node's `fetch` waits five minutes … */
  heldQuietMs: 4 * 60_000,
  /** … and how often it is then, for uWebSockets.js waits ten seconds. */
  heldBeatMs: 5_000,
  /** How long a held request goes on asking beyond the task's own time. */
  taskHeldSlackMs: 60_000,
  stepsPerPage: 50,
  stepsPerPageMax: 200,
  answerChars: 4_000,

  // Agents of tasks (ACP)
  agentsPerHost: 8,
  /** Of one task on one host: a new one goes on where the last has died. */
  agentStarts: 3,
  /** For `initialize`, and again for `session/new`: some take a quarter of a minute. */
  agentHelloMs: 60_000,
  /** Until it has asked for its tools, which takes a minute at worst. */
  agentToolsMs: 90_000,
  agentSettingMs: 10_000,
  agentCancelMs: 1_000,
  /** Between SIGTERM and SIGKILL: it may be writing down its renewed login. */
  agentTermMs: 1_000,
  agentReapMs: 5_000,
  /** One line of the protocol: a picture in a tool's answer that it quotes. */
  agentLineBytes: 16 * MiB,
  agentStderrChars: 4_096,
  agentToolCallsKept: 256,
  /** Of what names a tool, or one call of it: a line of the protocol could hold far more. */
  agentNameChars: 200,
  /** Of what it says between two calls, the last. */
  agentSpokenChars: 4_000,
  agentCallBytes: 256 * KiB,
  agentCallsWaiting: 16,
  /** With their outcomes, kept for whoever asks again. */
  agentCallsKnown: 64,
  agentGreetMs: 2_000,
  /** How long one question for a call's outcome is held. */
  agentPollMs: 20_000,

  // What a model is asked, and what it may answer
  answerTokens: 16_000,
  verdictTokens: 4_000,
  /** Actions of one answer; those beyond are refused. */
  answerCalls: 10,
  answerCallsRead: 100,
  /** Of one tool call; of all actions of one answer, which stand in the task's log. */
  callChars: 64_000,
  answerActsBytes: 32 * KiB,
  noteChars: 1_000,
  questionChars: 2_000,
  /** Of one text of an action's input, as it is recorded. */
  givenChars: 500,
  /** Of a whole input, and of its fields and of the items of a list. */
  recordedChars: 2_000,
  recordedFields: 12,
  elementChars: 200,
  /** Of a page in a prompt; its budget of tokens is the reader's. */
  taskPageChars: 100_000,
  taskTitleChars: 200,
  taskUrlChars: 500,
  taskTabs: 20,
  taskNotices: 12,
  noticeChars: 4_000,
  /** What a final check finds, which is told as a notice. */
  missingChars: 600,
  /** What `find` and `read_text` bring, once, and `wait_for` takes. */
  taskFoundTokens: 1_500,
  taskReadChars: 6_000,
  taskWaitMs: 20_000,

  // Going round in circles: counted over the last actions, and over steps
  trailActs: 20,
  loopActs: 16,
  cycleActs: 4,
  unchangedSteps: 5,
  unchangedStepsMax: 15,
  idleSteps: 3,
  idleStepsMax: 6,

  // Results of tasks
  /** Of the schema of a result: nesting that a model is shown, and one text in it. */
  schemaDepth: 12,
  schemaTextChars: 300,
  /** Of the schema itself, and of a result; how long one may be held against the other. */
  outputSchemaChars: 32_000,
  taskResultBytes: 24 * KiB,
  schemaMs: 1_000,
  /** Of the thread that does it: its memory, its start, and what waits for it. */
  schemaHeapBytes: 64 * MiB,
  schemaYoungHeapBytes: 8 * MiB,
  schemaStartMs: 30_000,
  schemaJobs: 128,
  schemaJobsPerTenant: 16,
  resultFaults: 5,
  resultFaultChars: 300,
  toolNameChars: 64,

  // What a task remembers: together less than a tenth of an entry of its log
  factChars: 500,
  factsChars: 3_500,
  stepsRemembered: 7,
  /** Of what the newest step brought. */
  newestChars: 8_000,
  memoryPageChars: 300,
  actTextChars: 800,
  actInputChars: 200,
  pastPageChars: 120,
  pastNoteChars: 300,
  pastActs: 5,
  pastActChars: 160,
  /** Of steps that are older still, one line each. */
  foldedSteps: 10,
  foldedChars: 240,
  foldedNoteChars: 120,
  foldedActChars: 80,
  foldedOldChars: 80,
  foldedInAllChars: 4_000,
} as const
