/** Commands: limits, with their units in their names. */
import { MiB } from '../units.ts'

export const commandLimits = {
  modelPictureWidthPx: 1_440,
  modelPictureHeightPx: 2_000,
  modelPictureQuality: 80,

  navigateMs: 30_000,

  commandBodyBytes: 7 * MiB,
  clipboardBytes: 6 * MiB,
  typedChars: 10_000,
  typingMs: 60_000,
  shortcutKeys: 8,
  holdMs: 60_000,
  selectorChars: 2_000,
  selectorMs: 5_000,
  selectorMaxMs: 60_000,

  dragPx: 20_000,
  /** Points of one path; each takes the page a frame. */
  dragPoints: 200,

  scrollUnits: 1_000,
  scrollSteps: 100,

  snapshotTokens: 8_000,
  snapshotTokensMin: 100,
  snapshotTokensMax: 50_000,
  findChars: 1_000,
  wordPlacesMax: 100,
  extractChars: 1_000_000,
  scriptChars: 100_000,
  scriptArgumentsChars: MiB,
  scriptMs: 30_000,
  scriptMaxMs: 90_000,
  selectedOptions: 100,
  inlineFileChars: 4 * MiB,
  uploadMore: 19,
  uploadIdChars: 100,
  responseBodyBytes: 4 * MiB,
  requestIdChars: 200,
  waitForMs: 110_000,

  routesPerSession: 50,
  routeUrlChars: 2_000,
  routeHeaders: 50,
  routeBodyChars: 256 * 1024,
  /** All bodies of a session together; they are kept in the record of its browser. */
  routeBodiesChars: MiB,
  routeDelayMs: 30_000,
  routeTimesMax: 10_000,

  /** Chromium draws nothing beyond the texture size of a GPU. */
  screenshotSidePx: 16_384,

  /** One result of `find` or `read_text`, and the input of `wait_for`. */
  taskFoundTokens: 1_500,
  taskReadChars: 6_000,
  taskWaitMs: 20_000,
} as const
