/** Input: limits, with their units in their names. */
import { KiB, MiB } from '../../proto/units.ts'

export const inputLimits = {
  displayConnectMs: 5_000,
  /** How long a display that refuses connections is tried again, and the pause between two tries. */
  displayRefusesMs: 1_000,
  displayRetryMs: 50,
  displayAnswerMs: 5_000,
  /** How long after a motion the display is asked about it: when the caller has its answer. */
  askProcessedMs: 10,
  doubleClickGapMs: 20,
  dragSteps: 16,
  /** Pause around a drag, because the browser picks up and hit-tests asynchronously. */
  dragDwellMs: 100,
  /** How long typing waits after a shortcut, which may move the keyboard focus. */
  shortcutEffectMs: 100,
  /**
   * How long keys wait after a click: they could overtake it, since the browser first looks up its
   * frame.
   */
  clickEffectMs: 60,
  /** Keystrokes sent before the display is asked whether it keeps up. */
  strokesAtOnce: 128,
  /** Typable characters between two untypable ones that are pasted together with them. */
  pasteBridgeChars: 64,
  /** Silence of a program that was asked for its clipboard, or that reads ours in parts. */
  clipboardAnswerMs: 3_000,
  clipboardTargets: 256,
  clipboardTransfers: 16,
  /** One X request can carry 256 KiB. */
  clipboardPartBytes: 240 * KiB,
  /** How long the browser may take to put a selection on the clipboard, or to ask for the text. */
  copyMs: 4_000,
  pasteTakenMs: 4_000,
  /**
   * How long a page may be busy before it handles a paste: 5 s after the keys, Chromium gives it no
   * text any more, because its transient user activation has ended.
   */
  pasteHandledMs: 4_000,
  /** Of a text that nothing took, in the error that says so. */
  toldTextChars: 40,
  /**
   * A paste is over when the browser has not asked for this long, and for several of its longest
   * pause.
   */
  pasteQuietMs: 60,
  /**
   * Longer after the first request, which is only a check: a slow browser got the restored text
   * when it asked for real.
   */
  pasteQuietAfterFirstMs: 1_500,
  pasteQuietPauses: 4,
  pasteQuietMaxMs: 1_500,
  pasteQuietMsPerByte: 1_000 / (4 * MiB),
  pasteQuietInAllMs: 10_000,
} as const
