/** The top of a report: who made it, and how to reach them. */
import type { Letterhead } from './look.ts'
import { plain } from './text.ts'

export function LetterheadPart({ letterhead }: { readonly letterhead: Letterhead }) {
  const { name, logo, contact } = letterhead
  if (name === undefined && logo === undefined && contact.length === 0) return null
  return (
    <div class="letterhead">
      <p class="agency">
        {logo !== undefined && <img src={logo} alt={name === undefined ? 'Logo' : ''} />}
        {name !== undefined && <span>{plain(name)}</span>}
      </p>
      {contact.length > 0 && (
        <ul class="contact">
          {contact.map((line, n) => (
            <li key={n}>{plain(line)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}
