/** Findings, the most severe first: what is wrong, where, and what to do. */
import type { SectionBody } from '../../../../proto/access/reports/report-content.ts'
import { humanize } from '../generate/phrases.ts'
import { linkTo, plain } from './text.ts'

type Items = SectionBody<'findings'>['items']
type Item = Items[number]

export const FindingList = ({ items }: { readonly items: Items }) => (
  <ol class="findings">
    {items.map((item, n) => (
      <li key={n}>
        <Finding item={item} />
      </li>
    ))}
  </ol>
)

function Finding({ item }: { readonly item: Item }) {
  const { title, severity, category, description, recommendation, affected_count: count } = item
  const places = `${count} ${count === 1 ? 'place' : 'places'}`
  return (
    <article class="finding">
      <h3>{plain(title)}</h3>
      <p class="tags">
        <span class={`severity ${severity}`}>{humanize(severity)}</span>
        {category !== undefined && <span>{plain(category)}</span>}
        <span>{places}</span>
      </p>
      {description !== undefined && description !== '' && <p>{plain(description)}</p>}
      <p>
        <strong>Recommendation:</strong> {plain(recommendation)}
      </p>
      <Places item={item} />
    </article>
  )
}

function Places({ item: { affected, affected_count: count } }: { readonly item: Item }) {
  if (affected.length === 0) return null
  const more = count - affected.length
  return (
    <ul class="places">
      {affected.map((place, n) => (
        <li key={n}>
          <Place {...place} />
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  )
}

/** A place on an audited page, with a link if its URL is http(s), and the evidence as a quote. */
function Place({ url, evidence }: Item['affected'][number]) {
  const href = linkTo(url)
  const text = plain(url)
  return (
    <>
      {href === undefined ? (
        <span>{text}</span>
      ) : (
        <a href={href} rel="noopener noreferrer nofollow">
          {text}
        </a>
      )}
      {evidence !== undefined && evidence !== '' && <q>{plain(evidence)}</q>}
    </>
  )
}
