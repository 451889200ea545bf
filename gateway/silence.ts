/** How long a client has said nothing: a busy one is left alone, a silent one asked. */
import { limits } from '../proto/limits.ts'

export class Silence {
  #ms = 0

  /** Any byte is a sign of life, and so is an answered ping. */
  broken(): void {
    this.#ms = 0
  }

  /** Called every so often: pings a silent client, gives a dead one up. */
  tick(
    elapsedMs: number,
    client: { end(code: number, reason: string): void },
    ping: () => void,
  ): void {
    if (this.#ms >= limits.cdpSilenceMs)
      client.end(1001, 'The client has not given a sign of life.')
    else if (this.#ms > 0) ping()
    this.#ms += elapsedMs
  }
}
