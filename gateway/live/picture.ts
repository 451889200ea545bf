/** What a viewer looks at: the desktop of a session, or its page where there is no desktop. */
import type { InputMessage, ToViewer } from './messages.ts'

export interface Picture {
  /** The viewer is there; nothing is shown before. */
  start(): void
  /** Binary frames of the viewer; lent until this returns. */
  bytes(data: Uint8Array): void
  input(message: InputMessage): void
  /** The viewer has drawn a frame. */
  drawn(): void
  /** Some of what was unsent to the viewer has left. */
  drained(): void
  close(): void
}

/** The viewer, as its picture sees it. */
export interface Eyes {
  show(data: Uint8Array): void
  tell(message: ToViewer): void
  readonly bufferedBytes: number
  /** The viewer broke the rules, or does not keep up. */
  end(code: number, reason: string): void
  /** The other side of the picture is gone: find out why. */
  lost(): void
}
