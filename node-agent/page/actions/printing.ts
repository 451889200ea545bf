/** Prints the page as PDF. */
import { defined } from '../../../proto/defined.ts'
import type { CommandInput } from '../../../proto/commands/catalogue.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Tab } from '../tabs/tab.ts'
import { nodeAgentLimits } from '../../limits.ts'
import { pageLimits } from '../limits.ts'

export async function printToPdf(tab: Tab, options: CommandInput<'pdf'>): Promise<Uint8Array> {
  const { data } = await tab.send('Page.printToPDF', paper(options), pageLimits.pdfMs)
  const pdf = Buffer.from(data, 'base64')
  if (pdf.length <= nodeAgentLimits.screenshotBytes) return pdf
  const limit = nodeAgentLimits.screenshotBytes
  const message = `The PDF has ${pdf.length} bytes, and ${limit} can be sent: request fewer pages.`
  throw new ServiceError('too_large', message, { limit })
}

function paper(options: CommandInput<'pdf'>) {
  const { page_ranges, header_template, footer_template } = options
  return {
    landscape: options.landscape,
    printBackground: options.print_background,
    scale: options.scale,
    paperWidth: options.paper_width,
    paperHeight: options.paper_height,
    marginTop: options.margin_top,
    marginBottom: options.margin_bottom,
    marginLeft: options.margin_left,
    marginRight: options.margin_right,
    preferCSSPageSize: options.prefer_css_page_size,
    displayHeaderFooter: options.header_footer,
    ...defined({
      pageRanges: page_ranges,
      headerTemplate: header_template,
      footerTemplate: footer_template,
    }),
  }
}
