/** Links to the pages of the service; those that a gateway does not serve are left out. */
import type { Markup } from '../../html/markup.ts'

export interface ServiceLink {
  readonly path: string
  readonly name: string
  readonly text: string
}

/** Pages for people. */
const places: readonly ServiceLink[] = [
  { path: '/console', name: 'Console', text: 'your sessions and tasks, live' },
  { path: '/docs', name: 'Docs', text: 'guides, and every route to try out' },
  { path: '/demo', name: 'Demo page', text: 'a page to try things on' },
  { path: '/portal', name: 'Portal', text: 'sign in, for scoped access to records' },
]

/** Documents for programs. */
const descriptions: readonly ServiceLink[] = [
  { path: '/openapi.json', name: 'openapi.json', text: 'every route, with its schemas' },
  { path: '/health/ready', name: 'health/ready', text: 'is a browser available?' },
  { path: '/metrics', name: 'metrics', text: 'metrics for Prometheus' },
]

/** Whether this gateway serves a path. */
export type IsServed = (path: string) => boolean

const cards = (label: string, links: readonly ServiceLink[], isServed: IsServed): Markup => (
  <nav aria-label={label}>
    {links
      .filter(({ path }) => isServed(path))
      .map((link) => (
        <LinkCard {...link} />
      ))}
  </nav>
)

export const LinkCard = ({ path, name, text }: ServiceLink) => (
  <a class="card" href={path}>
    <strong>{name}</strong> {text}
  </a>
)

export const placesOf = (isServed: IsServed): Markup => cards('Pages', places, isServed)
export const descriptionsOf = (isServed: IsServed): Markup =>
  cards('For programs', descriptions, isServed)
