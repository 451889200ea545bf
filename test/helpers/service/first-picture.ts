/** When the recording of a session began: at its first picture. */
import { until } from '../lib/until.ts'
import type { Rest } from './service.ts'

interface Listed {
  readonly data: {
    readonly items: readonly [{ readonly spans: readonly { readonly at: string }[] }]
  }
}

/** In ms since 1970, once it is there. */
export const firstPictureMs = (rest: Rest, sessionId: string): Promise<number> =>
  until('its recording has a picture', async () => {
    const { body } = await rest<Listed>('GET', `/v1/sessions/${sessionId}/recordings`)
    const [span] = body.data.items[0].spans
    return span && Date.parse(span.at)
  })
