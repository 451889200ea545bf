/** The preview of a session for lists: the page in front, and a small picture; after its end, the last. */
import { isNotFound } from '../../../../../proto/errors.ts'
import { jsonReply } from '../../../../routing/answers/reply.ts'
import type { ConsoleFile } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { sessionOf } from '../one/session-acts.ts'

/** `picture` is a data URL, absent if there is none. */
export async function glanceAtSession(visit: ConsoleVisit): Promise<ConsoleFile> {
  const view = sessionOf(visit)
  try {
    const { pages, image } = await visit.deps.glances.of(view)
    const picture = image && pictureUrl(image)
    const shown = pages.map(({ title, url }) => ({ title, url }))
    return { file: jsonReply(200, { pages: shown, ...(picture && { picture }) }) }
  } catch (error) {
    // The session has just ended, or its host runs a version without this verb.
    if (isNotFound(error)) return { file: jsonReply(200, { pages: [] }) }
    throw error
  }
}

/** `image` is a JPEG. */
export const pictureUrl = (image: Uint8Array): string =>
  `data:image/jpeg;base64,${Buffer.from(image).toString('base64')}`
