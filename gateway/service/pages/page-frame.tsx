/** The frame of pages without a menu and without a sign-in. */
import { version } from '../../../runtime/lib/package.ts'
import { Head } from '../../html/document.tsx'
import { toHtml, type Markup } from '../../html/markup.ts'

interface Framed {
  readonly title: string
  readonly heading: string
  readonly lead: Markup
  readonly children: Markup
  /** The path of the page's style sheet. */
  readonly sheet?: string
  readonly modules?: readonly string[]
  /** Of the body, beside `page`. */
  readonly bodyClass?: string
}

const Frame = ({ title, heading, lead, children, sheet, modules, bodyClass = '' }: Framed) => (
  <html lang="en">
    <Head title={title} sheets={[sheet ?? '/web/page.css']} modules={modules ?? []} />
    <body class={`page ${bodyClass}`.trim()}>
      <header>
        <p class="mark" aria-hidden="true">
          <span></span>
          <span></span>
          <span></span>
        </p>
        <h1>{heading}</h1>
        <p class="lead">{lead}</p>
      </header>
      <main>{children}</main>
      <footer>
        <p>Troupe {version} · Apache-2.0</p>
      </footer>
    </body>
  </html>
)

export const framedPage = (framed: Framed): string => `<!doctype html>${toHtml(Frame(framed))}`
