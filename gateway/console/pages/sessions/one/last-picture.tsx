/** The last picture of a session that has ended, from the host of its browser. */
import type { SessionView } from '../../../../../proto/session/session.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { pictureUrl } from '../list/session-glance.ts'
import { hasLastPicture, mayLook } from '../list/session-row.tsx'
import { shortUrl } from '../session-words.ts'

export interface LastLook {
  readonly title: string
  readonly url: string
  readonly picture: string
}

/** Undefined if there is none, for example because its host is gone. */
export async function lastLookOf({
  view,
  visit,
}: {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}): Promise<LastLook | undefined> {
  if (!mayLook(visit) || !hasLastPicture(view, visit.now)) return undefined
  const glance = await visit.deps.glances.of(view).catch(() => undefined)
  const [page] = glance?.pages ?? []
  if (!page || !glance?.image) return undefined
  return { title: page.title, url: page.url, picture: pictureUrl(glance.image) }
}

export const LastPicture = ({ title, url, picture }: LastLook) => (
  <figure class="last-picture">
    <img src={picture} alt={`The page at the end of the session: ${title || url}`} />
    <figcaption>
      The last picture: <bdi>{title || 'a page without a title'}</bdi>{' '}
      <span class="quiet breaks">{shortUrl(url)}</span>
    </figcaption>
  </figure>
)
