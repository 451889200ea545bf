/** The picture that a viewer sees: the desktop of a session or, if it has none, its page. */
import type { ClientAct } from '../../runtime/browser-host/cdp-rules/client-acts.ts'
import type { InputMessage, ToViewer } from './messages.ts'

export interface ViewSource {
  /** The viewer's socket is open; nothing is sent before that. */
  start(): void
  /** A binary frame of the viewer; `data` is valid only during the call. */
  bytes(data: Uint8Array): void
  input(message: InputMessage): void
  /** The viewer has drawn a frame. */
  drawn(): void
  /** Some of the data buffered for the viewer has been sent. */
  drained(): void
  close(): void
}

/** The interface of a viewer for its picture. */
export interface ViewSink {
  show(data: Uint8Array): void
  tell(message: ToViewer): void
  readonly bufferedBytes: number
  /** The viewer broke the protocol or is too slow. */
  end(code: number, reason: string): void
  /** The viewer has acted on what it shows. */
  acted(act: ClientAct): void
  /** The connection to the source of the picture was lost: the owner finds out why. */
  lost(): void
}
