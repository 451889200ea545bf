/** The mask of a session, when it claims a browser and when the next agent takes it over. */
import type { SensitiveMask } from '../../../proto/session/setup/masking.ts'
import { firstPage, withPage } from '../page.ts'
import { prepareTargets } from './prepare-targets.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { FilledValues } from '../../logins/filled-values.ts'
import { sentToMaskedPage } from '../../masking/in-masked-page.ts'
import { maskTargets } from './mask-targets.ts'
import { refusedMask } from '../../masking/refused-mask.ts'
import { SensitiveTexts } from '../../masking/sensitive-texts.ts'

const { refusedSelector } = sentToMaskedPage

export interface MaskMeans {
  readonly cdp: CdpPipe
  /** What answers must not have; it gets the mask's part. */
  readonly filled: Pick<FilledValues, 'sensitive'>
  /** A page went before it was reached. */
  readonly onError: (error: unknown) => void
}

/** Throws `bad_request` for a rule that Chromium or RE2 does not understand. */
export async function applyMask(mask: SensitiveMask, means: MaskMeans): Promise<void> {
  const { selectors = [], siteSelectors = {} } = mask
  const refused = await refusedHere([...selectors, ...Object.values(siteSelectors).flat()], means)
  if (refused !== undefined) {
    const list = selectors.includes(refused) ? 'custom_selectors' : 'site_selectors'
    throw refusedMask(list, refused)
  }
  await reapplyMask(mask, means)
}

/** Without a look at the selectors, whose browser knows them. */
export async function reapplyMask(mask: SensitiveMask, means: MaskMeans): Promise<void> {
  const sensitive = await SensitiveTexts.of(mask)
  means.filled.sensitive = sensitive
  await prepareTargets(means.cdp, maskTargets(sensitive.page), means.onError)
}

/** The first selector that Chromium does not understand; asks the page that the browser begins with. */
async function refusedHere(
  selectors: readonly string[],
  { cdp }: MaskMeans,
): Promise<string | undefined> {
  if (selectors.length === 0) return undefined
  const expression = `(${refusedSelector.source})(${JSON.stringify(selectors)})`
  return withPage(cdp, await firstPage(cdp), async (sessionId) => {
    const call = { expression, returnByValue: true }
    const { result } = await cdp.send('Runtime.evaluate', call, { sessionId })
    return result.value as string | undefined
  })
}
