/** The portal's pages for people who are not signed in. */
import { BarePage, type PageAssets } from '../../html/document.tsx'
import type { Markup } from '../../html/markup.ts'
import type { PageContent } from '../../html/page-content.ts'

export const portalAssets: PageAssets = {
  sheet: '/web/portal.css',
  module: '/web/portal/portal.js',
}

export const BarePortalPage = ({ shown, notice }: { shown: PageContent; notice?: Markup }) => (
  <BarePage
    shown={shown}
    assets={portalAssets}
    notice={notice}
    help="Need help? Ask the person who invited you."
  />
)
