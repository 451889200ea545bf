/**
 * An element of any kind, with the properties that only some kinds have. Kinds are distinguished by
 * `localName`: `instanceof` would not recognise elements of other documents of the same origin.
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
  Partial<Pick<HTMLObjectElement, 'contentWindow'>> &
  Partial<Pick<HTMLDetailsElement, 'open'>> &
  Partial<Pick<HTMLTableElement, 'rows'>> &
  Partial<{ readonly control: AnyElement | null }>
