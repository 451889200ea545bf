/** A whole page: its content and the frame around it. */
import type { PageContent } from './page-content.ts'
import type { Markup } from './markup.ts'

export const Brand = () => (
  <span class="mark" aria-hidden="true">
    <span></span>
    <span></span>
    <span></span>
  </span>
)

/** The style sheet and the module of a set of pages. */
export interface PageAssets {
  readonly sheet: string
  readonly module: string
}

/** `sheets` and `modules` are paths. */
export const Head = ({
  title,
  sheets,
  modules = [],
}: {
  title: string
  sheets: readonly string[]
  modules?: readonly string[]
}) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{title}</title>
    <link rel="icon" href="/web/shared/icon.svg" />
    {modules.length === 0 ? '' : <script src="/web/shared/theme.js"></script>}
    {sheets.map((href) => (
      <link rel="stylesheet" href={href} />
    ))}
    {modules.map((src) => (
      <script type="module" src={src}></script>
    ))}
  </head>
)

export const Document = ({
  title,
  assets,
  bodyClass,
  children,
}: {
  title: string
  assets: PageAssets
  bodyClass?: string
  children?: Markup
}) => (
  <html lang="en">
    <Head title={title} sheets={[assets.sheet]} modules={[assets.module]} />
    <body class={bodyClass}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      {children}
    </body>
  </html>
)

/** The main landmark with the page's heading. */
export const Main = ({ shown, notice }: { shown: PageContent; notice?: Markup }) => (
  <main id="main" tabindex={-1}>
    {shown.up === undefined ? (
      ''
    ) : (
      <p class="up">
        <a href={shown.up.href}>{shown.up.label}</a>
      </p>
    )}
    <div class="head">
      <h1>{shown.title}</h1>
      {shown.actions === undefined ? '' : <div class="actions">{shown.actions}</div>}
    </div>
    {shown.lead === undefined ? '' : <p class="lead">{shown.lead}</p>}
    {notice}
    {shown.body}
  </main>
)

/** A page for people who are not signed in: one small box in the middle. */
export const BarePage = ({
  shown,
  assets,
  help,
  notice,
}: {
  shown: PageContent
  assets: PageAssets
  /** A line at the foot that says who can help. */
  help: Markup
  notice?: Markup
}) => (
  <Document title={`${shown.title} – Troupe`} assets={assets} bodyClass="bare">
    <header class="bare-head">
      <p class="brand">
        <Brand /> Troupe
      </p>
    </header>
    <Main shown={shown} notice={notice} />
    <footer class="foot">
      <p>
        {help} <a href="/">About this service</a>
      </p>
    </footer>
  </Document>
)
