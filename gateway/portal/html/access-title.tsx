/**
 * Names access by what distinguishes it from other access for the same need: for whom, to what, and
 * until when. The need is the second line.
 */
import type { RequestTerms } from '../../../proto/access/grants/request.ts'
import type { GrantView } from '../../../proto/access/grants/grant.ts'
import { dayWord } from '../../html/times.ts'
import type { Visit } from '../visit.ts'
import { needTitle, subjectName } from '../words/names.ts'
import { toWords } from '../words/words.ts'
import { shortPermissions } from './permissions.tsx'

type TitledAccess = Pick<RequestTerms, 'subject' | 'permissions' | 'endsAtMs' | 'needId' | 'path'> &
  Pick<Partial<GrantView>, 'endedAt'>

/** More would make a line of a list a paragraph; the page of the access shows all. */
const areasMost = 4

/** For example `Contacts, Tasks (read), until 17 Dec 2026`. */
export const termsWord = (visit: Visit, of: TitledAccess): string =>
  `${shortPermissions(of.permissions, areasMost)}, until ${dayWord(of.endedAt ?? of.endsAtMs, visit.zone)}`

/** For example `newsletter (program): Contacts, Tasks (read), until 17 Dec 2026`. */
export const accessTitle = (visit: Visit, of: TitledAccess): string =>
  `${subjectName(visit, of.subject)}: ${termsWord(visit, of)}`

/** A link to it, with its need below. */
export const AccessTitle = ({
  visit,
  href,
  of,
}: {
  visit: Visit
  href: string
  of: TitledAccess
}) => (
  <>
    <a href={href}>
      <bdi>{accessTitle(visit, of)}</bdi>
    </a>
    <span class="about">
      {toWords(of.path)} · {needTitle(visit, of.needId)}
    </span>
  </>
)
