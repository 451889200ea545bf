/** Selects that a page has dressed as a widget of its own. */
import { boxOf } from '../../measure.ts'

/**
 * The widget in front of a select that is not displayed: the element beside it that shows what is
 * chosen.
 */
export function dressOf(select: HTMLSelectElement): Element | undefined {
  const chosen = (select.selectedOptions[0]?.label ?? '').trim()
  if (select.options.length < 2 || chosen === '') return undefined
  return [select.nextElementSibling, select.previousElementSibling].find(
    (beside): beside is Element =>
      beside !== null && (beside.textContent ?? '').includes(chosen) && boxOf(beside).height > 0,
  )
}
