/** Hides what a mask selects in every document of a browser, from before its first script. */
import type { TargetPreparation } from './prepare-targets.ts'
import type { PageMask } from '../../in-page/masking/mask-rules.ts'
import { sentToMaskedPage } from '../../masking/in-masked-page.ts'

const { maskDocument, openRoots } = sentToMaskedPage

export function maskTargets(mask: PageMask): TargetPreparation {
  const source = `(${maskDocument.source})(${JSON.stringify(mask)})`
  const openingRoots = { source: `(${openRoots.source})(${JSON.stringify(mask.rootEvent)})` }
  const script = { source, worldName: 'troupe-mask', runImmediately: true }
  return {
    types: ['page'],
    frames: true,
    prepare: (call, { type }) =>
      type === 'page' || type === 'iframe'
        ? [
            call('Page.enable'),
            call('Page.addScriptToEvaluateOnNewDocument', openingRoots),
            call('Page.addScriptToEvaluateOnNewDocument', script),
          ]
        : [],
  }
}
