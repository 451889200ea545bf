/**
 * An element of any kind, with what only some kinds have. Kinds are told apart by `localName`:
 * `instanceof` would not know the elements of other documents of the same origin.
 */
export type AnyElement = HTMLElement &
  Partial<
    Pick<
      HTMLInputElement,
      | 'alt'
      | 'checked'
      | 'files'
      | 'indeterminate'
      | 'labels'
      | 'multiple'
      | 'name'
      | 'readOnly'
      | 'required'
      | 'select'
      | 'selectionEnd'
      | 'setSelectionRange'
      | 'size'
      | 'src'
      | 'type'
      | 'value'
      | 'webkitdirectory'
    >
  > &
  Partial<Pick<HTMLAnchorElement, 'href'>> &
  Partial<Pick<HTMLDetailsElement, 'open'>> &
  Partial<Pick<HTMLTableElement, 'rows'>> &
  Partial<{ readonly control: AnyElement | null }>
