/**
 * The buffers that answers of sites are read into, large ones that are used again. A program that
 * leaves what it asked for unread holds the buffers of all its connections; from some number on,
 * there are only small ones.
 */
import { egressLimits } from '../limits.ts'

export class ReadBuffers {
  readonly #free: Buffer[] = []
  #held = 0

  /** Whether so many are held that bytes should wait in the kernel rather than here. */
  get isCrowded(): boolean {
    return this.#held >= egressLimits.largeBuffers
  }

  take(): Buffer {
    const bytes = this.isCrowded ? egressLimits.smallReadBytes : egressLimits.readBytes
    this.#held++
    return (this.isCrowded ? undefined : this.#free.pop()) ?? Buffer.allocUnsafeSlow(bytes)
  }

  give(buffer: Buffer): void {
    this.#held--
    const isLarge = buffer.length === egressLimits.readBytes
    if (isLarge && this.#free.length < egressLimits.freeBuffers) this.#free.push(buffer)
  }
}
