internal import CJSONGLib
internal import JSON

/// Conversion of nodes; `JSONGuard` limits the depth of the recursion.
extension JSONText {
    static func value(of node: OpaquePointer) throws(JSONFault) -> JSONValue {
        switch json_node_get_node_type(node) {
        case JSON_NODE_OBJECT: return .object(try object(of: json_node_get_object(node)))
        case JSON_NODE_ARRAY:
            let array = json_node_get_array(node)
            var elements: [JSONValue] = []
            for index in 0..<json_array_get_length(array) {
                elements.append(try value(of: json_array_get_element(array, index)))
            }
            return .array(elements)
        case JSON_NODE_VALUE: return try scalar(of: node)
        default: return .null
        }
    }

    private static func object(of object: OpaquePointer?) throws(JSONFault) -> JSONObject {
        var iterator = JsonObjectIter()
        var name: UnsafePointer<CChar>?
        var member: OpaquePointer?
        var result = JSONObject()
        json_object_iter_init_ordered(&iterator, object)
        while json_object_iter_next_ordered(&iterator, &name, &member) != 0 {
            guard let name, let member else { continue }
            result.append(String(cString: name), try value(of: member))
        }
        return result
    }

    private static func scalar(of node: OpaquePointer) throws(JSONFault) -> JSONValue {
        // The fundamental types of GLib are macros: a number shifted by 2 bits (`G_TYPE_MAKE_FUNDAMENTAL`).
        switch json_node_get_value_type(node) >> 2 {
        case 5: return .bool(json_node_get_boolean(node) != 0)
        case 10: return .number(JSONNumber(json_node_get_int(node)))
        case 15:
            guard let number = JSONNumber(json_node_get_double(node)) else {
                throw .malformed("a number is out of range")
            }
            return .number(number)
        case 16: return .string(json_node_get_string(node).map { String(cString: $0) } ?? "")
        default: return .null
        }
    }
}
